// How often a page may draw that has no graphics card and shows a run on the same machine: its pictures take the run's own
// processors. After a picture the next one waits, so that pictures take a small share of one processor; where others keep
// the processors busy a picture takes longer, and pictures become fewer.

/** Part of a processor's time that goes into pictures: while the run goes on by itself, and while somebody turns the view. */
const SHARES = { watched: 0.12, turned: 0.5 };
const LONGEST = 500; // between two pictures [ms]: a run that is watched is seen to move
// What the browser takes to put the page together around a picture, which the page cannot see [ms a pixel]; Chromium
// without a graphics card takes 10 to 15 ms for 1280 x 720.
const PUT_TOGETHER = 1.5e-5;

export class Budget {
  private cost = 0; // of a picture [ms], a mean that forgets
  private ended = -Infinity; // when the last one was done [ms]

  /** A picture was done at `now` and took `ms` of a page of so many pixels. */
  spend(ms: number, pixels: number, now: number): void {
    const cost = ms + PUT_TOGETHER * pixels;
    this.cost = this.cost === 0 ? cost : 0.7 * this.cost + 0.3 * cost;
    this.ended = now;
  }

  /** From `now` to where the next picture may begin [ms]; not below 0. */
  wait(now: number, how: keyof typeof SHARES): number {
    const rest = Math.min(LONGEST, this.cost * (1 / SHARES[how] - 1));
    return Math.max(0, this.ended + rest - now);
  }
}
