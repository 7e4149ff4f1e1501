// The chosen colours, before anything is painted: the only script that the page waits for.
try {
  document.documentElement.dataset.theme = localStorage.getItem('daybook-theme') ?? 'auto';
} catch {
  // Storage may be forbidden; then the system's colours hold.
}
