import Script from 'next/script';

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        {children}
        <Script src="https://stats.example.com/t.js" data-site="pk_live_…" strategy="afterInteractive" />
      </body>
    </html>
  );
}
