/** What happens next: events in the order of their time, and of their insertion where times are equal. */
interface Entry {
  at: number;
  order: number;
  happen: () => void;
}

const isBefore = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** A binary heap. */
export class EventQueue {
  now = 0;
  readonly #heap: Entry[] = [];
  #inserted = 0;

  at(time: number, happen: () => void): void {
    this.#heap.push({ at: time, order: this.#inserted++, happen });
    this.#rise(this.#heap.length - 1);
  }

  in(seconds: number, happen: () => void): void {
    this.at(this.now + seconds, happen);
  }

  /** Until nothing is left, or `end`. */
  run(end = Number.POSITIVE_INFINITY): void {
    for (let first = this.#heap[0]; first !== undefined && first.at <= end; first = this.#heap[0]) {
      const last = this.#heap.pop();
      if (last && this.#heap.length > 0) {
        this.#heap[0] = last;
        this.#sink();
      }
      this.now = first.at;
      first.happen();
    }
  }

  #rise(from: number): void {
    const heap = this.#heap;
    for (let i = from; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (!isBefore(heap[i]!, heap[parent]!)) return;
      [heap[i], heap[parent]] = [heap[parent]!, heap[i]!];
      i = parent;
    }
  }

  #sink(): void {
    const heap = this.#heap;
    for (let i = 0; ; ) {
      const [left, right] = [2 * i + 1, 2 * i + 2];
      let least = i;
      if (left < heap.length && isBefore(heap[left]!, heap[least]!)) least = left;
      if (right < heap.length && isBefore(heap[right]!, heap[least]!)) least = right;
      if (least === i) return;
      [heap[i], heap[least]] = [heap[least]!, heap[i]!];
      i = least;
    }
  }
}
