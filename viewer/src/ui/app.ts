// The page: view, time bar, side panel; ties the player to the world.
import { Vector3 } from 'three';
import { CONTACT, hasFoundation, type Frame, type Source } from '../data/header';
import { placeOf } from '../data/history';
import { LiveSource } from '../data/live';
import { hasPlans } from '../scene/ghosts';
import { software } from '../scene/quality';
import { TRAIL_FRAMES } from '../scene/trails';
import { World } from '../scene/world';
import { download, element, withUnit } from './dom';
import { Drawing } from './drawing';
import { Legend, PressureLegend, sampleFrames } from './legend';
import { Hand, makeLiveBar, togglePause, type LiveBar } from './live';
import { Player, SPEEDS } from './player';
import { chartChoices, chartOf, forceChart, Plot } from './plots';

const CHARTS = 500; // between two drawings of the charts of a run [ms]
const CHARTS_SPARING = 2000; // the same, where its processors are spared

/** Somebody wants no motion that he did not ask for: `#still` at the end of the address, or a setting of his browser. */
function isStill(): boolean {
  return location.hash.includes('still') || window.matchMedia('(prefers-reduced-motion: reduce)').matches;
}

export class App {
  readonly player: Player;
  readonly world: World;
  readonly drawing: Drawing;
  private readonly canvas = element('canvas', { tabIndex: 0, label: 'The moving bodies; drag to turn, wheel to zoom' });
  private readonly view = element('div', { class: 'view' }, this.canvas);
  private readonly picked = element('table');
  private readonly pickedName = element('p', { textContent: 'Click a body to see its state.' });
  private readonly trail: Vector3[] = [];
  private waiting = false;
  private current: Frame;
  private theme: 'light' | 'dark' = location.hash.includes('dark') || window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  private plotChoice = 'Energy';
  private readonly plot: Plot;
  private readonly forces: Plot; // of the selected body

  constructor(
    root: HTMLElement,
    private readonly source: Source,
    first: Frame,
  ) {
    this.current = first;
    this.player = new Player(source.statics.time);
    const plot = (this.plot = new Plot(source.statics.time, this.player));
    this.forces = new Plot(source.statics.time, this.player);
    this.forces.node.setAttribute('aria-label', 'Forces on the selected body over time');
    this.forces.node.setAttribute('role', 'img');
    const live = source instanceof LiveSource ? makeLiveBar(source, this.player, software ? (on) => this.drawing.spare(on) : undefined) : undefined;
    const side = element('aside', { label: 'Settings and figures' });
    root.classList.toggle('bare', location.hash.includes('alone')); // the picture and its legends, nothing else
    root.replaceChildren(this.makeHeader(), this.view, side, live?.bar ?? this.makeBar());
    this.world = new World(source, this.canvas, first);
    this.drawing = new Drawing(this.world, this.player, source instanceof LiveSource ? source : undefined);
    this.addLegends(source, live !== undefined);
    this.fillSide(side, plot);
    this.fillViews();
    this.fillHelp();
    this.world.soft.before = (frame) => this.source.peek(frame.index - 1);
    this.setTheme(this.theme);
    this.world.show(first);
    new ResizeObserver(() => {
      this.world.resize();
      this.drawing.request();
    }).observe(this.view);
    this.world.scaleForces(this.source.frame(Math.round(this.player.last / 2)) ?? first);
    if (source instanceof LiveSource) {
      this.goLive(source, live!);
    }
    this.addPicking();
    this.addKeys();
    this.player.onFrame(() => void this.showFrame());
    this.drawing.request();
    if (!live && !isStill()) {
      this.player.play();
    }
  }

  /** Frames drawn so far; tests and the frame counter read it. */
  get drawnFrames(): number {
    return this.drawing.drawn;
  }

  // ---- parts of the page

  private makeHeader(): HTMLElement {
    const h = this.source.header;
    const theme = element('button', { textContent: 'Light/dark', label: 'Switch between light and dark' });
    theme.onclick = () => this.setTheme(this.theme === 'light' ? 'dark' : 'light');
    const picture = element('button', { textContent: 'Picture', label: 'Save a picture (PNG)' });
    picture.onclick = () => this.savePicture();
    const video = element('button', { textContent: 'Video', label: 'Record a video (WebM) until the end' });
    video.onclick = () => this.recordVideo(video);
    video.hidden = this.source instanceof LiveSource; // it has no end
    const help = element('button', { textContent: '?', label: 'Keys (?)' });
    help.onclick = () => this.help.showModal();
    const panel = element('button', { textContent: 'Panel', label: 'Settings and figures on and off (i)' });
    panel.onclick = () => this.togglePanel();
    return element(
      'header',
      {},
      element('h1', { textContent: h.title || h.scene_path || 'Recording' }),
      element('span', { class: 'about', textContent: `${h.scheme === 'pbd' ? h.scheme : h.solver}, ${h.law}, step ${withUnit(h.step, 's')}, ${h.live ? 'live; shift and drag pulls a body' : `${h.frames} frames`}` }),
      element('span', { class: 'grow' }),
      this.viewChoice,
      picture,
      video,
      theme,
      panel,
      help,
    );
  }

  private readonly viewChoice = element('select', { label: 'View (v: the next one; h: the first)' });
  private readonly help = element('dialog', { label: 'Keys' });

  private fillViews(): void {
    const { views, view } = this.world.eye;
    this.viewChoice.append(...views.map(({ name }) => element('option', { value: name, textContent: name, selected: name === view.name })));
    this.viewChoice.onchange = () => this.look(this.viewChoice.value);
  }

  /** By a view's name. */
  look(name: string): boolean {
    const view = this.world.eye.views.find((v) => v.name === name);
    if (view) {
      this.viewChoice.value = name;
      this.world.lookAtAll(this.current, view);
      this.drawing.request();
    }
    return view !== undefined;
  }

  private nextView(): void {
    const { views, view } = this.world.eye;
    this.look(views[(views.indexOf(view) + 1) % views.length]!.name);
  }

  /** The camera goes along with the selected body, or stays where it is. */
  private toggleFollow(): void {
    const { eye, selection } = this.world;
    eye.follow(eye.followed >= 0 && (selection < 0 || eye.followed === selection) ? -1 : selection);
    eye.go(this.current);
  }

  private togglePanel(): void {
    document.getElementById('app')!.classList.toggle('alone');
  }

  private fillHelp(): void {
    const rows: [string, string][] = [
      ['space', 'play or pause'], ['← →', 'one frame back or on; with shift ten'], ['Home End', 'first and last frame'], ['l', 'loop'],
      ['drag, wheel', 'turn, zoom; right button: shift'], ['click', 'select a body'], ['Escape', 'select nothing'],
      ['h, v', 'look at everything; the next view'], ['o', 'follow the selected body, or no longer'], ['c', 'colour of soft bodies'],
      ...Object.entries(this.switches).map(([key, box]): [string, string] => [key, box.parentElement!.textContent!]),
      ['i', 'panel on and off'], ['?', 'this list'],
    ];
    const close = element('button', { textContent: 'Close' });
    close.onclick = () => this.help.close();
    this.help.append(
      element('h2', { textContent: 'Keys' }),
      element('table', {}, ...rows.map(([key, what]) => element('tr', {}, element('td', {}, element('kbd', { textContent: key })), element('td', { textContent: what })))),
      close,
    );
    this.view.append(this.help);
  }

  /** The picture at a time in so many passes, for `tenon render`; 0: a plain one. */
  async pictureAt(time: number, passes: number, type: string): Promise<string> {
    this.player.seekTime(time + 1e-9);
    this.take(await this.source.load(this.player.frame));
    this.draw(passes);
    return this.canvas.toDataURL(type, 0.95);
  }

  /** Milliseconds of a pass, as text. */
  timeOfPass(): string {
    this.draw(2);
    const start = performance.now();
    this.draw(4);
    this.world.finish();
    return String((performance.now() - start) / 4);
  }

  followBody(body: number): void {
    this.world.eye.follow(body);
    this.world.eye.go(this.current);
  }

  private draw(passes: number): void {
    if (passes > 0) {
      this.world.renderFine(passes);
    } else {
      this.world.render();
    }
  }

  private makeBar(): HTMLElement {
    const p = this.player;
    const play = element('button', { textContent: 'Play', label: 'Play or pause (space)' });
    play.onclick = () => p.toggle();
    const back = element('button', { textContent: '◀', label: 'One frame back (left)' });
    back.onclick = () => p.step(-1);
    const forth = element('button', { textContent: '▶', label: 'One frame on (right)' });
    forth.onclick = () => p.step(1);
    const scrub = element('input', { type: 'range', min: '0', max: String(p.last), value: '0', label: 'Frame' });
    scrub.oninput = () => p.seek(Number(scrub.value));
    const time = element('output', { label: 'Time' });
    const speed = element('select', { label: 'Speed' });
    speed.append(...SPEEDS.map((s) => element('option', { value: String(s), textContent: `${s}×`, selected: s === 1 })));
    speed.onchange = () => p.setSpeed(Number(speed.value));
    const loop = element('button', { textContent: 'Loop', label: 'Start again at the end (l)' });
    loop.onclick = () => p.setLoop(!p.loop);
    const update = () => {
      play.textContent = p.playing ? 'Pause' : 'Play';
      loop.setAttribute('aria-pressed', String(p.loop));
      scrub.value = String(p.frame);
      time.textContent = `${this.source.statics.time[p.frame]!.toFixed(3)} s`;
    };
    p.onFrame(update);
    p.onChange(update);
    update();
    return element('div', { class: 'bar' }, back, play, forth, scrub, time, speed, loop);
  }

  private readonly switches: Record<string, HTMLInputElement> = {}; // by key

  private toggle(text: string, key: string, on: boolean, change: (on: boolean) => void): HTMLElement {
    change(on);
    const box = element('input', { type: 'checkbox', checked: on });
    box.setAttribute('aria-keyshortcuts', key);
    box.onchange = () => {
      change(box.checked);
      this.refresh();
    };
    this.switches[key] = box;
    return element('label', { title: `${text} (${key})` }, box, text);
  }

  private fillSide(side: HTMLElement, plot: Plot): void {
    const h = this.source.header;
    const { world } = this;
    const arrows = element('input', { type: 'range', min: '-2', max: '2', step: '0.05', value: '0', label: 'Length of force arrows' });
    arrows.oninput = () => {
      world.forces.stretch = 10 ** Number(arrows.value);
      this.refresh();
    };
    const choice = element('select', { label: 'Figure' });
    choice.append(...chartChoices(h).map((name) => element('option', { value: name, textContent: name })));
    choice.onchange = () => {
      this.plotChoice = choice.value;
      this.showPlot();
    };
    const jointed = (h.joints ?? []).length > 0;
    side.append(
      element('h2', { textContent: 'Show' }),
      this.toggle('contact forces', 'f', false, (on) => (world.contacts.visible = on)),
      ...(this.pressure ? [this.toggle('pressure on foundations', 'p', true, (on) => (this.pressure!.visible = on))] : []),
      ...(jointed ? [this.toggle('joint forces', 'g', false, (on) => (world.jointForces.visible = on))] : []),
      ...(jointed ? [this.toggle('joints and their axes', 'j', false, (on) => (world.joints.visible = on))] : []),
      ...(hasPlans(h) ? [this.toggle('where the plan has the bodies', 'a', true, (on) => (world.ghosts.visible = on))] : []),
      this.toggle('body frames', 'b', false, (on) => world.showFrames(on)),
      this.toggle('trail of the selected body', 's', true, (on) => (this.trailOn = on)),
      this.toggle('trails of all bodies', 't', false, (on) => (world.trails.visible = on)),
      element('label', {}, 'arrows', arrows),
      ...(this.legend ? [element('label', {}, 'colour', this.legend.choice), element('label', {}, 'scale', this.legend.part)] : []),
      element('h2', { textContent: 'Selected' }),
      this.pickedName,
      this.picked,
      this.forces.node,
      element('h2', { textContent: 'Over time' }),
      choice,
      plot.node,
    );
  }

  private trailOn = true;
  private legend: Legend | undefined;
  private pressure: PressureLegend | undefined;

  private addLegends(source: Source, live: boolean): void {
    const samples = () => sampleFrames(source, this.player.last);
    if (source.header.softs.length > 0) {
      this.legend = new Legend(this.world.soft, samples, () => this.refresh());
    }
    if (hasFoundation(source.header)) {
      this.pressure = new PressureLegend(this.world.foundation);
    }
    const legends = [this.legend, this.pressure].filter((legend) => legend !== undefined);
    this.view.append(element('div', { class: 'legends' }, ...legends.map((legend) => legend.node)));
    if (!live && legends.length > 0) {
      const later = [0.5, 1].map((part) => source.load(Math.round(part * this.player.last)));
      const rescale = () => {
        this.pressure?.rescale(samples());
        if (this.legend) {
          this.legend.rescale();
        } else {
          this.refresh();
        }
      };
      Promise.all(later).then(rescale, console.warn);
    }
  }

  // ---- a running simulation

  private hand: Hand | undefined;

  private goLive(source: LiveSource, bar: LiveBar): void {
    this.hand = new Hand(source, this.world, this.canvas, () => this.refresh());
    let plotted = 0;
    source.onFrame = (dropped) => {
      const start = performance.now();
      const newest = source.frame(source.header.frames - 1)!;
      this.world.adaptForces(newest);
      this.legend?.adapt(newest);
      this.pressure?.adapt(newest);
      this.player.follow(source.statics.time, dropped);
      if (start - plotted > (this.drawing.sparing ? CHARTS_SPARING : CHARTS)) {
        plotted = start;
        source.gatherSeries();
        this.plot.update(source.statics.time, chartOf(source.header, source.statics, this.plotChoice));
        void this.showForces(true);
      }
      this.drawing.receive(performance.now() - start);
    };
    source.onNews = () => {
      bar.hear();
      this.drawing.hurry();
    };
    this.player.onFrame(bar.show);
    source.onFrame(0);
  }

  // ---- what happens

  private setTheme(theme: 'light' | 'dark'): void {
    this.theme = theme;
    document.documentElement.dataset['theme'] = theme;
    this.world.setTheme(theme);
    this.showPlot();
    this.drawing.request();
  }

  /** Contact forces of the selected body; more: the same body has gone on. */
  private async showForces(more = false): Promise<void> {
    const body = this.world.selection;
    if (body < 0) {
      this.forces.clear();
      return;
    }
    try {
      const history = await this.source.history(body);
      if (body !== this.world.selection) {
        return; // another one by now
      }
      const chart = forceChart(history);
      if (more && this.forces.shown) {
        this.forces.update(this.source.statics.time, chart);
      } else {
        this.forces.show(chart);
      }
    } catch (error) {
      console.warn(error);
    }
  }

  private showPlot(): void {
    if (this.source instanceof LiveSource) {
      this.source.gatherSeries();
    }
    this.plot.show(chartOf(this.source.header, this.source.statics, this.plotChoice));
  }

  private refresh(): void {
    this.world.show(this.current);
    this.showTrails();
    this.hand?.show(this.current);
    this.updatePicked();
    this.drawing.request();
  }

  private async showFrame(): Promise<void> {
    const index = this.player.frame;
    const frame = this.source.frame(index);
    if (frame) {
      this.take(frame);
    } else if (!this.waiting) {
      this.waiting = true; // shows what is newest when it comes
      try {
        await this.source.load(index);
        this.waiting = false;
        void this.showFrame();
      } catch (error) {
        this.waiting = false;
        console.warn(error);
      }
    }
  }

  private take(frame: Frame): void {
    this.current = frame;
    this.world.show(frame);
    this.showTrails();
    this.hand?.show(frame);
    this.updatePicked();
    this.drawing.request();
  }

  private showTrails(): void {
    this.world.trails.show(this.player.frame, (k) => this.source.peek(k));
  }

  private updatePicked(): void {
    const body = this.world.selection;
    if (body < 0) {
      this.world.setTrail([]);
      return;
    }
    const info = this.source.header.bodies[body]!;
    const at = placeOf(this.source.header, this.current, body);
    const force = [0, 0, 0];
    let touching = 0;
    const c = this.current.contacts;
    for (let k = 0; k < c.length; k += CONTACT.width) {
      const sign = c[k + CONTACT.bodyB] === body ? 1 : c[k + CONTACT.bodyA] === body ? -1 : 0;
      if (sign !== 0) {
        touching++;
        force.forEach((_, i) => (force[i]! += sign * c[k + CONTACT.force + i]!));
      }
    }
    const rows: [string, string][] = [
      ['kind', info.kind],
      ['position', (at ?? []).map((x) => x.toFixed(4)).join(', ') + ' m'],
      ['contacts', String(touching)],
      ['contact force', withUnit(Math.hypot(...(force as [number, number, number])), 'N')],
    ];
    this.pickedName.textContent = info.name;
    this.picked.replaceChildren(
      ...rows.map(([k, v]) => element('tr', {}, element('td', { textContent: k }), element('td', { textContent: v }))),
    );
    this.updateTrail(body);
  }

  private updateTrail(body: number): void {
    this.trail.length = 0;
    const end = this.player.frame;
    for (let k = Math.max(0, end - TRAIL_FRAMES); this.trailOn && k <= end; k++) {
      const frame = this.source.peek(k);
      if (frame) {
        const p = placeOf(this.source.header, frame, body);
        if (p) {
          this.trail.push(new Vector3(...p));
        }
      }
    }
    this.world.setTrail(this.trail);
  }

  pickAt(x: number, y: number): number {
    const { body } = this.world.pick(x, y);
    this.world.select(body);
    if (body < 0) {
      this.pickedName.textContent = 'Click a body to see its state.';
      this.picked.replaceChildren();
    }
    this.refresh();
    void this.showForces();
    return body;
  }

  private addPicking(): void {
    let down = { x: 0, y: 0 };
    this.canvas.addEventListener('pointerdown', (event) => (down = { x: event.clientX, y: event.clientY }));
    this.canvas.addEventListener('pointerup', (event) => {
      if (event.button === 0 && Math.hypot(event.clientX - down.x, event.clientY - down.y) < 4) {
        this.pickAt(event.clientX, event.clientY);
      }
    });
  }

  private addKeys(): void {
    window.addEventListener('keydown', (event) => {
      const target = event.target as HTMLElement;
      if (this.help.open || (/^(INPUT|SELECT|BUTTON|TEXTAREA)$/.test(target.tagName) && event.key !== 'Escape')) {
        return;
      }
      const source = this.source;
      const liveKeys: Record<string, () => void> =
        source instanceof LiveSource ? { ' ': () => togglePause(source), ArrowRight: () => source.ask({ command: 'step' }) } : {};
      const keys: Record<string, () => void> = {
        ' ': () => this.player.toggle(),
        ArrowLeft: () => this.player.step(event.shiftKey ? -10 : -1),
        ArrowRight: () => this.player.step(event.shiftKey ? 10 : 1),
        Home: () => this.player.seek(0),
        End: () => this.player.seek(this.player.last),
        l: () => this.player.setLoop(!this.player.loop),
        Escape: () => this.pickAt(-1, -1),
        c: () => this.legend?.next(),
        h: () => this.look(this.world.eye.views[0]!.name),
        v: () => this.nextView(),
        o: () => this.toggleFollow(),
        i: () => this.togglePanel(),
        '?': () => this.help.showModal(),
        ...Object.fromEntries(Object.entries(this.switches).map(([key, box]) => [key, () => box.click()])),
        ...liveKeys,
      };
      const action = keys[event.key];
      if (action) {
        event.preventDefault();
        action();
      }
    });
  }

  private savePicture(): void {
    this.world.render();
    this.canvas.toBlob((blob) => blob && download('tenon.png', blob), 'image/png');
  }

  /** From here to the end, by the browser's own recorder. */
  private recordVideo(button: HTMLButtonElement): void {
    const recorder = new MediaRecorder(this.canvas.captureStream(30), { mimeType: 'video/webm' });
    const parts: Blob[] = [];
    const loop = this.player.loop;
    recorder.ondataavailable = (event) => parts.push(event.data);
    recorder.onstop = () => {
      download('tenon.webm', new Blob(parts, { type: 'video/webm' }));
      button.setAttribute('aria-pressed', 'false');
      this.player.setLoop(loop);
    };
    button.setAttribute('aria-pressed', 'true');
    this.player.setLoop(false);
    this.player.onChange(() => {
      if (!this.player.playing && recorder.state === 'recording') {
        recorder.stop();
      }
    });
    recorder.start();
    this.player.play();
  }
}
