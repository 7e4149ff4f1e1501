/** A line without axes, as wide as its column. */

const width = 120;
const height = 28;
const marginPx = 2;

export const Spark = ({ values }: { values: readonly number[] }) => {
  if (values.length === 0) return <span class="spark" />;
  const most = Math.max(...values, 1);
  const step = width / Math.max(values.length - 1, 1);
  const points = values.map((value, i) => {
    const y = height - marginPx - (value / most) * (height - 2 * marginPx);
    return `${(i * step).toFixed(1)} ${y.toFixed(1)}`;
  });
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="spark-area" d={`M0 ${height}L${points.join('L')}L${width} ${height}Z`} />
      <path class="spark-line" d={`M${points.join('L')}`} />
    </svg>
  );
};
