/** Where visitors are: the map of countries, and beside it the rows of the chosen tab. */
import { breakdownLimitMax } from '../../../model/limits.ts';
import { useAddress } from '../address.tsx';
import { lazy } from '../parts/lazy.tsx';
import { chosenTab } from '../parts/tabs.tsx';
import { PanelHead, PanelRows, useBreakdown } from './panel.tsx';
import { panels } from './panels.ts';

const CountryMap = lazy(
  async () => (await import('../map/country-map.tsx')).CountryMap,
  <div class="country-map waiting" />,
);

export const Places = ({ total }: { total: number | undefined }) => {
  const { search } = useAddress();
  const panel = panels.places;
  const dimension = chosenTab(search, panel.choice, panel.tabs);
  const countries = useBreakdown('country', breakdownLimitMax);
  const others = useBreakdown(dimension === 'country' ? null : dimension);
  return (
    <section class="panel places" aria-label={panel.label}>
      <PanelHead panel={panel} dimension={dimension} />
      <div class="places-body">
        <CountryMap rows={countries.data?.data ?? []} />
        <PanelRows
          panel={panel}
          dimension={dimension}
          total={total}
          answer={dimension === 'country' ? countries : others}
        />
      </div>
    </section>
  );
};
