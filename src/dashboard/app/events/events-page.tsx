/** Events: the list of them, or one of them in full when the address names it. */
import { useAddress } from '../address.tsx';
import { Controls, ExportLink } from '../controls/controls.tsx';
import { EventDetail } from './event-detail.tsx';
import { EventTable } from './event-table.tsx';

export const EventsPage = () => {
  const { search } = useAddress();
  const name = search.get('_event');
  return (
    <>
      <Controls>
        <ExportLink label="Export these numbers as CSV" />
      </Controls>
      {name === null ? <EventTable /> : <EventDetail key={name} name={name} />}
    </>
  );
};
