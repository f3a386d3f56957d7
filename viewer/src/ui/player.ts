// Time: which frame is shown, how fast it goes on. Knows nothing of what a frame looks like.

export const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10];

export class Player {
  playing = false;
  speed = 1;
  loop = true;
  private clock = 0; // simulated time [s]
  private index = 0;
  private readonly listeners: ((index: number) => void)[] = [];
  private readonly changes: (() => void)[] = [];

  constructor(private time: Float64Array) {
    this.clock = time[0] ?? 0;
  }

  get frame(): number {
    return this.index;
  }

  get last(): number {
    return this.time.length - 1;
  }

  onFrame(listener: (index: number) => void): void {
    this.listeners.push(listener);
  }

  onChange(listener: () => void): void {
    this.changes.push(listener);
  }

  private changed(): void {
    this.changes.forEach((listener) => listener());
  }

  private go(index: number): void {
    if (index !== this.index) {
      this.index = index;
      this.listeners.forEach((listener) => listener(index));
    }
  }

  seek(index: number): void {
    const k = Math.max(0, Math.min(this.last, Math.round(index)));
    this.clock = this.time[k]!;
    this.go(k);
  }

  /** A live run goes on: new times, of which the first `dropped` of the old ones are gone. Who looks at the newest frame
   * follows; who looks back keeps his. */
  follow(time: Float64Array, dropped: number): void {
    const newest = this.index >= this.last || time.length <= this.index;
    this.time = time;
    this.index = newest ? this.last : Math.max(0, this.index - dropped);
    this.clock = time[this.index]!;
    this.listeners.forEach((listener) => listener(this.index));
  }

  seekTime(t: number): void {
    this.seek(this.indexAt(t));
  }

  step(by: number): void {
    this.pause();
    this.seek(this.index + by);
  }

  play(): void {
    if (this.index === this.last) {
      this.seek(0);
    }
    this.playing = true;
    this.changed();
  }

  pause(): void {
    this.playing = false;
    this.changed();
  }

  toggle(): void {
    this.playing ? this.pause() : this.play();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.changed();
  }

  setLoop(loop: boolean): void {
    this.loop = loop;
    this.changed();
  }

  /** Wall time went on by dt [s]. */
  advance(dt: number): void {
    if (!this.playing || this.last < 1) {
      return;
    }
    const end = this.time[this.last]!;
    this.clock += Math.min(dt, 0.25) * this.speed;
    if (this.clock > end) {
      if (!this.loop) {
        this.seek(this.last);
        this.pause();
        return;
      }
      this.clock = this.time[0]!;
    }
    this.go(this.indexAt(this.clock));
  }

  /** Last frame not after t. */
  indexAt(t: number): number {
    let low = 0;
    let high = this.last;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.time[middle]! <= t) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }
}
