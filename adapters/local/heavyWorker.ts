/** Worker thread of `threadedWork.ts`. */
import { answerQuestion, convertCsv } from '../../service/heavyWork.ts';
import { type FromHeavyWorker, toHeavyWorkerSchema } from './workerMessages.ts';
import { endingOf, nextMessage, pulledBytes, say } from './workerPort.ts';

type Task = Awaited<ReturnType<typeof nextTask>>;

const nextTask = () => nextMessage(toHeavyWorkerSchema);

async function* openTable(): AsyncGenerator<Uint8Array> {
  say({ kind: 'open' } satisfies FromHeavyWorker);
  yield* pulledBytes();
}

async function givePieces(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of pieces) {
    const taken = nextTask();
    say({ kind: 'piece', bytes: new Uint8Array(piece) } satisfies FromHeavyWorker);
    if ((await taken).kind !== 'next') throw new Error('a piece is taken before the next');
  }
}

async function work(task: Task): Promise<FromHeavyWorker> {
  try {
    if (task.kind === 'ask') return { kind: 'answer', answer: answerQuestion(task.question, task.profile) };
    if (task.kind !== 'convert') throw new Error('work starts with a question or a conversion');
    await givePieces(convertCsv(openTable, task));
    return { kind: 'converted' };
  } catch (error) {
    return endingOf(error);
  }
}

for (;;) say(await work(await nextTask()));
