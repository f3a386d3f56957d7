// When a page draws beside a run: who draws, what share of a processor pictures take, and when the next frame is asked for.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LiveSource } from '../src/data/live';
import { isSoftware } from '../src/scene/renderer';
import type { World } from '../src/scene/world';
import { Budget } from '../src/ui/budget';
import { Drawing } from '../src/ui/drawing';
import type { Player } from '../src/ui/player';

vi.mock('../src/scene/quality', () => ({ software: true, refines: true }));

describe('who draws', () => {
  it('is told by the name of the renderer', () => {
    const processors = [
      'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)',
      'Google SwiftShader',
      'llvmpipe (LLVM 15.0.6, 256 bits)',
      'llvmpipe, or similar',
      'softpipe',
      'ANGLE (Microsoft, Microsoft Basic Render Driver Direct3D11)',
      'Apple Software Renderer',
    ];
    const cards = ['ANGLE (Intel, Mesa Intel(R) UHD Graphics 620 (KBL GT2), OpenGL 4.6)', 'NVIDIA GeForce GTX 980, or similar', 'Apple GPU', ''];
    expect(processors.filter((name) => !isSoftware(name))).toEqual([]);
    expect(cards.filter((name) => isSoftware(name))).toEqual([]);
  });
});

const PAGE = 1280 * 720; // pixels

describe('the budget', () => {
  it('lets the first picture begin at once', () => {
    expect(new Budget().wait(0, 'watched')).toBe(0);
  });
  it('gives pictures an eighth of a processor, and half of it to who turns the view', () => {
    const budget = new Budget();
    let now = 0;
    let drawing = 0;
    for (let k = 0; k < 50; k++) {
      now += 12;
      drawing += 12 + 1.5e-5 * PAGE;
      budget.spend(12, PAGE, now);
      const wait = budget.wait(now, 'watched');
      expect(budget.wait(now, 'turned')).toBeLessThan(0.2 * wait);
      now += wait + 1.5e-5 * PAGE;
    }
    expect(drawing / now).toBeLessThan(0.13);
    expect(50 / (now / 1000), 'pictures a second').toBeGreaterThan(3);
  });
  it('counts the wait from the end of the picture', () => {
    const budget = new Budget();
    budget.spend(10, 0, 1000);
    const wait = budget.wait(1000, 'watched');
    expect(budget.wait(1000 + wait / 2, 'watched')).toBeCloseTo(wait / 2, 9);
    expect(budget.wait(1000 + wait, 'watched')).toBe(0);
    expect(budget.wait(2000, 'watched')).toBe(0);
  });
  it('never waits longer than half a second', () => {
    const budget = new Budget();
    budget.spend(5000, PAGE, 0);
    expect(budget.wait(0, 'watched')).toBe(500);
  });
  it('forgets a picture that was held up', () => {
    const budget = new Budget();
    budget.spend(10, 0, 0);
    const usual = budget.wait(0, 'watched');
    budget.spend(400, 0, 0);
    for (let k = 0; k < 15; k++) {
      budget.spend(10, 0, 0);
    }
    expect(budget.wait(0, 'watched')).toBeLessThan(1.3 * usual);
  });
});

describe('drawing beside a run', () => {
  const RENDER = 20; // ms
  let frames: ((now: number) => void)[] = [];
  let asked = 0;
  let rendered = 0;
  let passed = 0;
  let sharpness = 1;
  let turn: () => void = () => undefined;
  let live: LiveSource;
  let drawing: Drawing;

  /** What the browser does meanwhile: a tick every 16 ms where one is asked for. */
  function pass(ms: number): void {
    for (const end = performance.now() + ms; performance.now() < end; vi.advanceTimersByTime(16)) {
      frames.splice(0).forEach((tick) => tick(performance.now()));
    }
  }

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    vi.stubGlobal('window', { setTimeout, clearTimeout, innerWidth: 1280, innerHeight: 720, devicePixelRatio: 1 });
    vi.stubGlobal('requestAnimationFrame', (tick: (now: number) => void) => frames.push(tick));
    [frames, asked, rendered, passed] = [[], 0, 0, 0];
    const world = {
      controls: { addEventListener: (_: string, changed: () => void) => (turn = changed), update: () => undefined },
      render: () => {
        rendered++;
        passed = 0;
        vi.advanceTimersByTime(RENDER);
      },
      refine: (passes: number) => (passed += passes),
      get passed() {
        return passed;
      },
      finish: () => undefined,
      setSharpness: (ratio: number) => (sharpness = ratio),
    } as unknown as World;
    const player = { onChange: () => undefined, advance: () => undefined, playing: false } as unknown as Player;
    live = { news: { state: 'running' }, askNext: () => asked++ } as unknown as LiveSource;
    drawing = new Drawing(world, player, live);
  });

  afterEach(() => vi.useRealTimers());

  it('draws nothing where nothing is new', () => {
    drawing.request();
    pass(100);
    expect(rendered).toBe(1);
    pass(2000);
    expect([rendered, frames.length]).toEqual([1, 0]);
  });

  it('makes a picture finer when nothing happens for a while, and never beside a run that it spares', () => {
    drawing.request();
    pass(1000);
    expect(passed).toBe(0);
    (live.news as { state: string }).state = 'paused';
    drawing.request();
    pass(200);
    expect(passed).toBe(0);
    pass(3000);
    expect([passed, rendered, sharpness]).toEqual([64, 2, 1]);
    drawing.request();
    pass(50);
    expect([passed, rendered], 'what is new is drawn at once').toEqual([0, 3]);
  });

  it('asks for the next frame when the last one is drawn and the run has had its share', () => {
    let pictures = 0;
    for (let k = 0; k < 300; k++) {
      if (asked >= pictures) {
        pictures++;
        drawing.receive(1);
      }
      pass(16);
    }
    // 35 ms a picture, of that 14 by the browser, in 300 ticks of 16 ms and the pictures' own time
    expect(rendered).toBe(pictures);
    expect(rendered).toBeGreaterThan(12);
    expect(rendered).toBeLessThan(25);
    expect(sharpness).toBe(0.5);
  });

  it('hurries when the run pauses, and draws a sharp picture', () => {
    drawing.receive(1);
    pass(40);
    expect([rendered, asked]).toEqual([1, 0]);
    (live.news as { state: string }).state = 'paused';
    drawing.hurry();
    expect(asked).toBe(1);
    pass(20);
    expect([rendered, sharpness]).toEqual([2, 1]);
    drawing.receive(1); // the last state
    pass(40);
    expect([rendered, asked]).toEqual([3, 2]);
  });

  it('answers a hand that turns the view sooner', () => {
    drawing.receive(1);
    pass(30);
    drawing.request();
    turn();
    pass(80);
    expect(rendered).toBe(2);
  });

  it('draws as the frames come when told not to spare the run', () => {
    drawing.spare(false);
    pass(40);
    for (let k = 0; k < 30; k++) {
      drawing.receive(1);
      pass(33);
    }
    expect([rendered, asked, sharpness]).toEqual([31, 30, 1]);
  });
});
