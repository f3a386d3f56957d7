// Small helpers for building the page.

type Props<K extends keyof HTMLElementTagNameMap> = Partial<Omit<HTMLElementTagNameMap[K], 'style' | 'dataset'>> & {
  label?: string; // accessible name
  class?: string;
};

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props<K> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const { label, class: className, ...rest } = props;
  const node = document.createElement(tag);
  Object.assign(node, rest);
  if (label) {
    node.setAttribute('aria-label', label);
    node.title = label;
  }
  if (className) {
    node.className = className;
  }
  node.append(...children);
  return node;
}

/** Three significant digits and a prefix: 12.3 mN. */
export function withUnit(value: number, unit: string): string {
  if (!Number.isFinite(value)) {
    return '-';
  }
  if (value === 0 || unit === '1') {
    return `${Number(value.toPrecision(3))}${unit === '1' ? '' : ` ${unit}`}`;
  }
  const prefixes = ['f', 'p', 'n', 'µ', 'm', '', 'k', 'M', 'G', 'T'];
  const place = Math.floor(Math.log10(Math.abs(value)) / 3);
  const index = place + 5;
  if (/[ /]/.test(unit) || index < 0 || index >= prefixes.length) {
    return `${Number(value.toPrecision(3))} ${unit}`;
  }
  return `${Number((value / 10 ** (3 * place)).toPrecision(3))} ${prefixes[index]}${unit}`;
}

export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  element('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
