/** The texts of a piece in a language, which exist only once the app is built. */
declare module 'texts:*' {
  const texts: import('./made.ts').Texts;
  export default texts;
}
