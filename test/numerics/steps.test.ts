import { describe, expect, it } from 'vitest';
import { sideBySide } from '../../packages/numerics/steps.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const failing = (message: string) => async (yieldToEventLoop: () => Promise<void>) => {
  await yieldToEventLoop();
  throw new Error(message);
};

describe('two works side by side', () => {
  it('take turns, and both give what they give', async () => {
    const said: string[] = [];
    const work = (name: string) => async (yieldToEventLoop: () => Promise<void>) => {
      for (let step = 0; step < 3; step++) {
        said.push(`${name}${step}`);
        await yieldToEventLoop();
      }
      return name;
    };
    expect(await sideBySide(turn, work('a'), work('b'))).toEqual(['a', 'b']);
    expect(said).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2']);
  });

  it.each([0, 1])('end where one fails, and throw what it failed by (the one at %i)', async (at) => {
    let goesOn = true;
    const endless = async (yieldToEventLoop: () => Promise<void>) => {
      try {
        for (;;) await yieldToEventLoop();
      } finally {
        goesOn = false;
      }
    };
    const [one, other] = at === 0 ? [failing('first'), endless] : [endless, failing('first')];
    await expect(sideBySide(turn, one!, other!)).rejects.toThrow('first');
    expect(goesOn).toBe(false);
  });

  it('throw what failed first, though the other fails by something else', async () => {
    const stubborn = async () => {
      await turn();
      await turn();
      throw new Error('second');
    };
    await expect(sideBySide(turn, stubborn, failing('first'))).rejects.toThrow('first');
  });
});
