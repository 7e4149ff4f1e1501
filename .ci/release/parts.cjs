/**
 * Packages that only some commands and questions need, by the part of the executable that holds them:
 * half of its code, which is read when it is needed. Packages of one part share their own files.
 */
exports.parts = {
  mail: ['nodemailer'],
  mcp: ['@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio'],
  oidc: ['jose', 'openid-client'],
  parquet: ['hyparquet-writer'],
  passkeys: ['@simplewebauthn/server'],
  passwords: ['@zxcvbn-ts/language-common'],
  yaml: ['yaml'],
};
