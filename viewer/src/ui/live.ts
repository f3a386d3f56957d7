// What a running simulation has on the page besides a recording: its own bar, and a hand that pulls bodies.
import { Plane, Vector3 } from 'three';
import type { Frame } from '../data/header';
import type { LiveSource, Vector } from '../data/live';
import type { World } from '../scene/world';
import { element } from './dom';
import type { Player } from './player';

const STATES = { running: 'running', paused: 'paused', ended: 'at its end', gone: 'the program has ended' };

export interface LiveBar {
  bar: HTMLElement;
  hear: () => void; // news came
  show: () => void; // another frame is shown
}

/** The bar below the view; spare: switches whether drawing leaves the run its processors, where it would not. What is chosen follows the news alone: a frame must not undo a choice that is on its way. */
export function makeLiveBar(source: LiveSource, player: Player, spare: ((on: boolean) => void) | undefined): LiveBar {
  const live = source.header.live!;
  const pause = element('button', { textContent: 'Pause', label: 'Pause the simulation or go on (space)' });
  pause.onclick = () => togglePause(source);
  const step = element('button', { textContent: 'Step', label: 'One step of the simulation (right)' });
  step.onclick = () => source.ask({ command: 'step' });
  const reset = element('button', { textContent: 'Reset', label: 'From the start again' });
  reset.onclick = () => source.ask({ command: 'reset' });
  const choice = (label: string, command: 'solver' | 'law', names: string[]) => {
    const select = element('select', { label });
    select.append(...names.map((name) => element('option', { value: name, textContent: name })));
    select.onchange = () => source.ask({ command, name: select.value });
    return select;
  };
  const solver = choice('Solver', 'solver', live.solvers);
  const law = choice('Friction law', 'law', live.laws);
  const real = element('input', { type: 'checkbox' });
  real.onchange = () => source.ask({ command: 'pace', value: real.checked ? 1 : 0 });
  const scrub = element('input', { type: 'range', min: '0', max: '0', value: '0', label: 'Frame' });
  scrub.oninput = () => player.seek(Number(scrub.value));
  const time = element('output', { label: 'Time' });
  const state = element('output', { label: 'State of the simulation' });
  const bar = element(
    'div',
    { class: 'bar' },
    pause,
    step,
    reset,
    solver,
    law,
    element('label', {}, real, 'real time'),
    ...(spare ? [spareSwitch(spare)] : []),
    scrub,
    time,
    state,
  );
  const hear = () => {
    const news = source.news;
    pause.textContent = news.state === 'paused' ? 'Go on' : 'Pause';
    pause.disabled = step.disabled = news.state === 'ended' || news.state === 'gone';
    reset.disabled = solver.disabled = law.disabled = news.state === 'gone';
    solver.value = news.solver;
    law.value = news.law;
    real.checked = news.pace > 0;
    state.textContent = news.message || STATES[news.state];
  };
  const show = () => {
    scrub.max = String(player.last);
    scrub.value = String(player.frame);
    time.textContent = `${(source.statics.time[player.frame] ?? 0).toFixed(3)} s`;
  };
  hear();
  show();
  return { bar, hear, show };
}

function spareSwitch(spare: (on: boolean) => void): HTMLElement {
  const box = element('input', { type: 'checkbox', checked: true });
  box.onchange = () => spare(box.checked);
  return element('label', { title: 'This browser draws without a graphics card, with the processors that the run needs: few and coarse pictures' }, box, 'spare the run');
}

export function togglePause(source: LiveSource): void {
  source.ask({ command: source.news.state === 'paused' ? 'resume' : 'pause' });
}

/** Shift and drag: a spring from the body to the mouse. */
export class Hand {
  private body = -1;
  private point = new Vector3(); // of the body where it was taken, world
  private target = new Vector3();
  private local = new Vector3(); // rigid: the point in the body's frame
  private node = -1; // soft: the node next to it
  private readonly plane = new Plane();

  constructor(
    private readonly source: LiveSource,
    private readonly world: World,
    private readonly canvas: HTMLCanvasElement,
    private readonly changed: () => void,
  ) {
    // Before the camera's own listeners, which a pull keeps quiet.
    canvas.addEventListener('pointerdown', (event) => this.take(event), { capture: true });
    window.addEventListener('pointermove', (event) => this.move(event));
    window.addEventListener('pointerup', () => this.letGo());
    window.addEventListener('blur', () => this.letGo());
  }

  private take(event: PointerEvent): void {
    const { body, point } = event.shiftKey && event.button === 0 ? this.world.pick(event.clientX, event.clientY) : { body: -1 };
    const kind = this.source.header.bodies[body]?.kind;
    const last = this.source.frame(this.source.header.frames - 1);
    if (!point || !last || (kind !== 'free' && kind !== 'soft')) {
      return;
    }
    event.stopImmediatePropagation();
    this.canvas.focus();
    this.body = body;
    this.point.copy(point);
    this.node = kind === 'soft' ? nearestNode(last, point) : -1;
    if (kind === 'free') {
      this.local.copy(point).applyMatrix4(this.world.rigid.matrix(body).clone().invert());
    }
    this.plane.setFromNormalAndCoplanarPoint(this.world.camera.getWorldDirection(new Vector3()), point);
    this.pull(point);
  }

  private move(event: PointerEvent): void {
    if (this.body >= 0) {
      const target = this.world.onPlane(event.clientX, event.clientY, this.plane);
      if (target) {
        this.pull(target);
      }
    }
  }

  private pull(target: Vector3): void {
    this.target.copy(target);
    this.source.ask({ command: 'pull', body: this.body, point: toVector(this.point), target: toVector(target) });
    this.changed();
  }

  private letGo(): void {
    if (this.body >= 0) {
      this.body = -1;
      this.source.ask({ command: 'release' });
      this.world.setPull([]);
      this.changed();
    }
  }

  /** The spring, as a line. */
  show(frame: Frame): void {
    if (this.body >= 0) {
      const from =
        this.node >= 0
          ? new Vector3().fromArray(frame.nodes, 3 * this.node)
          : this.local.clone().applyMatrix4(this.world.rigid.matrix(this.body));
      this.world.setPull([from, this.target]);
    }
  }
}

function toVector(v: Vector3): Vector {
  return [v.x, v.y, v.z];
}

function nearestNode(frame: Frame, point: Vector3): number {
  let best = -1;
  let least = Infinity;
  for (let k = 0; k < frame.nodes.length / 3; k++) {
    const away = point.distanceToSquared(new Vector3().fromArray(frame.nodes, 3 * k));
    if (away < least) {
      least = away;
      best = k;
    }
  }
  return best;
}
