/** What stands where nothing is yet: a drawing each, in grey and the colour of the brand. */

const drawings = {
  /** Something that is reached. */
  goal: (
    <>
      <path d="M4 50h88" />
      <path class="tint" d="M14 50c8-10 16-12 26-12s16-6 22-14 12-10 18-10" />
      <path d="M80 50V8" />
      <path class="warm" d="M80 8h14l-4 5 4 5H80z" />
    </>
  ),
  /** Something that is pressed. */
  event: (
    <>
      <rect class="tint" x="8" y="10" width="56" height="36" rx="5" />
      <path d="M16 20h24M16 28h16" />
      <path class="warm" d="M50 26l26 10-11 3.500-4 11z" />
      <path class="warm-line" d="M46 17l-3-4M40 24l-5-1M52 18l1-5" />
    </>
  ),
  /** A page without numbers. */
  page: (
    <>
      <rect class="tint" x="8" y="8" width="80" height="42" rx="6" />
      <path d="M8 19h80" />
      <path d="M16 42c8 0 10-8 18-8s10 5 18 5 12-10 28-12" stroke-dasharray="1 4" />
      <path class="warm" d="M66 8h9v17l-4.500-3.800L66 25z" />
    </>
  ),
  /** Steps of which each is smaller. */
  steps: (
    <>
      <path d="M4 50h88" />
      <rect class="tint" x="10" y="10" width="18" height="40" rx="3" />
      <rect class="tint" x="39" y="24" width="18" height="26" rx="3" />
      <rect class="warm" x="68" y="38" width="18" height="12" rx="3" />
      <path d="M28 14c6 2 5 12 11 14M57 28c6 2 5 12 11 14" stroke-dasharray="1 4" />
    </>
  ),
} as const;

export type DrawingName = keyof typeof drawings;

export const Drawing = ({ name }: { name: DrawingName }) => (
  <svg class="drawing" viewBox="0 0 96 56" width="96" height="56" aria-hidden="true">
    {drawings[name]}
  </svg>
);
