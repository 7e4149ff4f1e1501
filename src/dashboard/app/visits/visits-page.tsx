/** Visits: who came, from where, and what they did. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { visitChips } from '../../../model/figures.ts';
import { useAddress } from '../address.tsx';
import { Controls, ExportLink } from '../controls/controls.tsx';
import { useSettled } from '../controls/filter-editor.tsx';
import { Toggle } from '../parts/toggle.tsx';
import { withChoice } from '../question.ts';
import { VisitTable, visitParameters } from './visit-table.tsx';

export const VisitsPage = () => {
  const { search } = useAddress();
  return (
    <>
      <Controls>
        <ExportLink label="Export these visits as CSV" extra={{ mode: 'sessions', ...visitParameters(search) }} />
      </Controls>
      <div class="visit-tools">
        <Search />
        <Chips />
      </div>
      <VisitTable />
    </>
  );
};

/**
 * The text goes into the address once typing pauses. It replaces the entry of the history: nobody
 * wants to go back letter by letter.
 */
const Search = () => {
  const { search, ask } = useAddress();
  const [text, setText] = useState(search.get('_q') ?? '');
  const settled = useSettled(text);
  const latest = useRef({ search, ask });
  latest.current = { search, ask };

  useEffect(() => {
    const { search: now, ask: askNow } = latest.current;
    if ((now.get('_q') ?? '') === settled) return;
    askNow(withChoice(now, '_q', settled, ''), { replace: true });
  }, [settled]);

  return (
    <input
      type="search"
      class="search"
      placeholder="Search visits"
      aria-label="Search visits"
      data-tip="Searches visitor, identified, entry, exit, referrer, campaign, country, region, city, browser and OS"
      data-shortcut="search"
      value={text}
      onInput={event => setText(event.currentTarget.value)}
    />
  );
};

const Chips = () => {
  const { search } = useAddress();
  return (
    <ul class="quick-chips" aria-label="Show only visits that are">
      {Object.entries(visitChips).map(([name, { label, meaning }]) => {
        const isOn = search.has(`_${name}`);
        return (
          <li key={name}>
            <Toggle
              class="quick-chip"
              isOn={isOn}
              next={withChoice(search, `_${name}`, isOn ? null : '1')}
              tip={meaning}
            >
              {label}
            </Toggle>
          </li>
        );
      })}
    </ul>
  );
};
