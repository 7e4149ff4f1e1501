/** Keeps a fault of the app's own from taking the whole page down: what it stood in says so, and the rest stays. */
import { Component, type ComponentChildren } from 'preact';

interface BoundaryProps {
  children: ComponentChildren;
}

export class Boundary extends Component<BoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  override componentDidCatch(error: unknown): void {
    this.setState({ hasFailed: true });
    reportError(error);
  }

  override render({ children }: BoundaryProps) {
    if (!this.state.hasFailed) return children;
    return (
      <div class="failed" role="alert">
        <p>This page broke, which is a fault of Daybook’s. Its numbers are safe.</p>
        <button type="button" class="button" onClick={() => location.reload()}>
          Load it again
        </button>
      </div>
    );
  }
}
