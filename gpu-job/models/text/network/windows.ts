/** Sequences of tokens packed into windows of one length, which a step reads side by side. */

/** Tokens of one row; `isWritten[k]` says that token k is text, and so is to be predicted. */
export interface Sequence {
  tokens: Int32Array;
  isWritten: Uint8Array;
}

/** Windows end to end, `length` places each. Empty places have segment 0 and weight 0. */
export interface Windows {
  count: number;
  length: number;
  /** What stands at a place; and what comes after it, 0 where that is not to be predicted. */
  tokens: Int32Array;
  next: Int32Array;
  /** 1 where what comes after is to be predicted. */
  weights: Float32Array;
  /** Which sequence of its window a place belongs to: 1, 2, … */
  segments: Int32Array;
  /** Of each place the sequence (its index in the list) and the place of the predicted token in it. */
  sequence: Int32Array;
  offset: Int32Array;
}

/** Windows that are tried for a sequence before a new one is begun. */
const OPEN = 40;

interface Piece {
  sequence: number;
  from: number;
  /** Places: one less than tokens. */
  places: number;
}

/** Packs sequences in the order given into the fullest window that has room; longer ones go on in windows of their own. */
export function packWindows(sequences: readonly Sequence[], order: readonly number[], length: number): Windows {
  const bins: Piece[][] = [];
  const room: number[] = [];
  for (const sequence of order) {
    const places = sequences[sequence]!.tokens.length - 1;
    for (let from = 0; from < places; from += length) {
      const piece = { sequence, from, places: Math.min(length, places - from) };
      const bin = roomiest(room, piece.places);
      if (bin < 0) {
        bins.push([piece]);
        room.push(length - piece.places);
      } else {
        bins[bin]!.push(piece);
        room[bin]! -= piece.places;
      }
    }
  }
  return fill(sequences, bins, length);
}

/** The fullest of the last windows that has room; -1 where none has. */
function roomiest(room: readonly number[], places: number): number {
  let best = -1;
  for (let bin = Math.max(0, room.length - OPEN); bin < room.length; bin++) {
    if (room[bin]! >= places && (best < 0 || room[bin]! < room[best]!)) best = bin;
  }
  return best;
}

function fill(sequences: readonly Sequence[], bins: readonly Piece[][], length: number): Windows {
  const size = bins.length * length;
  const out: Windows = {
    count: bins.length,
    length,
    tokens: new Int32Array(size),
    next: new Int32Array(size),
    weights: new Float32Array(size),
    segments: new Int32Array(size),
    sequence: new Int32Array(size).fill(-1),
    offset: new Int32Array(size),
  };
  bins.forEach((pieces, bin) => {
    let at = bin * length;
    pieces.forEach(({ sequence, from, places }, segment) => {
      const { tokens, isWritten } = sequences[sequence]!;
      for (let k = from; k < from + places; k++, at++) {
        out.tokens[at] = tokens[k]!;
        out.next[at] = isWritten[k + 1] ? tokens[k + 1]! : 0;
        out.weights[at] = isWritten[k + 1]!;
        out.segments[at] = segment + 1;
        out.sequence[at] = sequence;
        out.offset[at] = k + 1;
      }
    });
  });
  return out;
}
