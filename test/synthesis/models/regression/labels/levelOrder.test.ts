import { describe, expect, it } from 'vitest';
import { levelOrder } from '../../../../../packages/synthesis/models/regression/labels/levelOrder.ts';

const ordered = (levels: readonly string[]) => levelOrder(levels)?.map((at) => levels[at]);

describe('levels have an order', () => {
  it.each([
    ['numbers', ['10', '9', '-1'], ['-1', '9', '10']],
    ['ranges', ['65+', '18-24', '<18', '25 to 64'], ['<18', '18-24', '25 to 64', '65+']],
    ['sides of a number', ['>50K', '<=50K'], ['<=50K', '>50K']],
    ['counted things', ['5 doors', '3 doors'], ['3 doors', '5 doors']],
    ['words of a scale', ['High', 'low', 'Medium'], ['low', 'Medium', 'High']],
    ['words written in other ways', ['very_good', 'Fair', 'good'], ['Fair', 'good', 'very_good']],
    ['sizes', ['XL', 'S', 'M'], ['S', 'M', 'XL']],
  ])('if they are %s', (_, levels, expected) => {
    expect(ordered(levels)).toEqual(expected);
  });

  it.each([[['Ash', 'Elm']], [['low', 'Elm']], [['1a', '1b']], [['yes', 'no']], [['A1', 'B2']], [['', '3']]])(
    'unless they are as %j',
    (levels) => {
      expect(levelOrder(levels)).toBeNull();
    },
  );
});
