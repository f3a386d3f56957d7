// When the page draws: only what is new. At rest the picture becomes a fine one, pass by pass (scene/passes.ts); a graphics
// card also draws what moves in as many passes as it is quick enough for. Beside a running simulation a page without
// a graphics card draws few and coarse pictures (budget.ts); paused, and of a recording, sharp ones.
import type { LiveSource } from '../data/live';
import { refines, software } from '../scene/quality';
import type { World } from '../scene/world';
import { Budget } from './budget';
import type { Player } from './player';

const COARSE = 0.6; // pixels drawn for one of the page
const SPARING = 0.5; // the same, beside a run
const REST = 250; // after which a picture is made fine [ms]
const PASSES = 64; // of a fine picture
const SHOWN_EVERY = 4; // passes: single ones flicker
const MOVING_PASSES = 8; // of a picture that moves, on a graphics card that can

export class Drawing {
  drawn = 0; // pictures so far
  sharpness: 'adapted' | 'full' = 'adapted'; // full: for measurements
  private spares = software;
  private readonly budget = new Budget();
  private dirty = true;
  private turned = false; // what is new is the view
  private owed = false; // a frame came; the next one is asked for when it is drawn
  private handled = 0; // time that the frame took before it is drawn [ms]
  private ticking = false;
  private alarm = 0; // timer of the next tick; 0: none
  private asking = 0; // timer of the next frame that is asked for; 0: none
  private before = 0; // last tick [ms]
  private pace = 20; // mean time between pictures while it plays [ms]
  private resting = 0; // timer until the picture is made fine; 0: none
  private moving = software || !refines ? 0 : MOVING_PASSES; // passes of a picture that moves

  constructor(
    private readonly world: World,
    private readonly player: Player,
    private readonly live: LiveSource | undefined,
  ) {
    world.controls.addEventListener('change', () => this.request('turned'));
    player.onChange(() => this.wake());
  }

  /** Something has changed. */
  request(how: 'watched' | 'turned' = 'watched'): void {
    this.dirty = true;
    if (how === 'turned') {
      this.turned = true;
      this.stopAlarm();
    }
    this.wake();
  }

  /** A frame of the run came, and the page took so long to take it in [ms]. */
  receive(ms: number): void {
    this.owed = true;
    this.handled = ms;
    this.request();
  }

  /** Pictures wait no longer for what they waited for: the run has stopped, say. */
  hurry(): void {
    this.stopAlarm();
    if (this.asking) {
      this.ask();
    }
    this.request();
  }

  /** Whether to leave the run its processors; for pages that would take them. */
  spare(on: boolean): void {
    this.spares = on;
    this.hurry();
  }

  /** A run goes on beside the page, and is to be spared. */
  get sparing(): boolean {
    return this.spares && this.live?.news.state === 'running';
  }

  private wake(): void {
    if (!this.ticking && !this.alarm) {
      this.ticking = true;
      this.before = performance.now();
      requestAnimationFrame((now) => this.tick(now));
    }
  }

  private wakeIn(ms: number): void {
    this.alarm = window.setTimeout(() => {
      this.alarm = 0;
      this.wake();
    }, ms);
  }

  private stopAlarm(): void {
    clearTimeout(this.alarm);
    this.alarm = 0;
  }

  private tick(now: number): void {
    this.ticking = false;
    this.adaptSharpness(now - this.before);
    this.player.advance(Math.max(0, now - this.before) / 1000);
    this.before = now;
    this.world.controls.update();
    const early = this.sparing ? this.budget.wait(performance.now(), this.turned ? 'turned' : 'watched') : 0;
    if (this.dirty && early > 0) {
      this.wakeIn(early);
      return;
    }
    if (this.dirty) {
      this.draw();
    }
    if (this.player.playing) {
      this.ticking = true;
      requestAnimationFrame((then) => this.tick(then));
    }
  }

  private draw(): void {
    const start = performance.now();
    this.dirty = this.turned = false;
    if (this.moving > 0) {
      this.world.renderFine(this.moving);
    } else {
      this.world.render();
    }
    this.rest();
    if (this.sparing) {
      this.world.finish();
    }
    this.drawn++;
    const now = performance.now();
    this.budget.spend(now - start + this.handled, window.innerWidth * window.innerHeight * window.devicePixelRatio ** 2, now);
    this.handled = 0;
    this.askNext(now);
  }

  /** When nothing happens for a while the picture gets finer, a few passes at a time so that nobody waits for it. */
  private rest(): void {
    clearTimeout(this.resting);
    if (refines && !this.sparing) {
      this.resting = window.setTimeout(() => this.refine(), REST);
    }
  }

  private refine(): void {
    if (this.player.playing || this.dirty || this.sparing) {
      return;
    }
    this.world.setSharpness(Math.min(2, window.devicePixelRatio), false);
    const left = Math.min(SHOWN_EVERY - (this.world.passed % SHOWN_EVERY), software ? 1 : SHOWN_EVERY);
    this.world.refine(left, (this.world.passed + left) % SHOWN_EVERY === 0);
    if (this.world.passed < PASSES) {
      this.resting = window.setTimeout(() => this.refine(), 0);
    }
  }

  /** What is drawn may be followed by another frame, when there is time to draw it. */
  private askNext(now: number): void {
    if (this.owed) {
      this.owed = false;
      clearTimeout(this.asking);
      this.asking = window.setTimeout(() => this.ask(), this.sparing ? this.budget.wait(now, 'watched') : 0);
    }
  }

  private ask(): void {
    clearTimeout(this.asking);
    this.asking = 0;
    this.live!.askNext();
  }

  /** A processor that cannot draw 25 pictures a second draws coarser ones while things move, and a sharp one at rest. */
  private adaptSharpness(between: number): void {
    if (!software) {
      this.pace = this.player.playing ? 0.9 * this.pace + 0.1 * Math.min(between, 200) : 16;
      if (this.pace > 25 && this.moving > 0) {
        this.moving = Math.floor(this.moving / 2);
        this.pace = 16;
      }
      return;
    }
    if (this.sharpness === 'full') {
      this.world.setSharpness(1);
      return;
    }
    if (this.live) {
      this.world.setSharpness(this.sparing ? SPARING : 1);
      return;
    }
    this.pace = this.player.playing ? 0.9 * this.pace + 0.1 * Math.min(between, 200) : 20;
    if (!this.player.playing) {
      this.world.setSharpness(1);
    } else if (this.pace > 40) {
      this.world.setSharpness(COARSE);
    }
  }
}
