// A recording inside the page, else one that the serving program has, or its running simulation.
import './ui/style.css';
import type { Source } from './data/header';
import { PackedSource } from './data/packed';
import { LiveSource } from './data/live';
import { fetchHeader, RemoteSource } from './data/remote';
import { App } from './ui/app';
import { element } from './ui/dom';

declare global {
  interface Window {
    tenon?: App; // for tests and for the curious
  }
}

async function open(): Promise<Source> {
  const inside = document.getElementById('tenon-recording');
  if (inside?.textContent) {
    return PackedSource.open(inside.textContent);
  }
  const base = new URL('.', location.href).href;
  const header = await fetchHeader(base);
  return header.live ? LiveSource.open(base, header) : RemoteSource.open(base, header);
}

async function main(): Promise<void> {
  const root = document.getElementById('app')!;
  root.append(element('p', { class: 'message', textContent: 'Loading …' }));
  try {
    const source = await open();
    window.tenon = new App(root, source, await source.load(0));
  } catch (error) {
    console.error(error);
    const text = error instanceof Error ? error.message : String(error);
    root.replaceChildren(element('p', { class: 'message', role: 'alert', textContent: `This recording cannot be shown: ${text}` }));
  }
}

void main();
