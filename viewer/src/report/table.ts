// A table with a caption; numbers are right aligned.
import { element } from '../ui/dom';

export interface Cell {
  text: string;
  number?: boolean;
  soft?: boolean; // of less weight
}

export interface Row {
  head: string;
  cells: Cell[];
}

export interface Table {
  caption: string;
  heads: string[]; // the first one is the rows' heads'
  rows: Row[];
}

export function drawTable(table: Table, plain = false): HTMLElement {
  const isNumber = (column: number) => table.rows.some((row) => row.cells[column - 1]?.number);
  const heads = table.heads.map((text, k) => element('th', { scope: 'col', textContent: text, class: isNumber(k) ? 'number' : '' }));
  const rows = table.rows.map((row) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row', textContent: row.head }),
      ...row.cells.map((cell) =>
        element('td', { textContent: cell.text, class: [cell.number ? 'number' : '', cell.soft ? 'soft' : ''].join(' ').trim() }),
      ),
    ),
  );
  const node = element(
    'table',
    {},
    element('caption', { textContent: table.caption }),
    element('thead', {}, element('tr', {}, ...heads)),
    element('tbody', {}, ...rows),
  );
  return plain ? node : element('div', { class: 'wide', tabIndex: 0, role: 'region', ariaLabel: table.caption }, node);
}
