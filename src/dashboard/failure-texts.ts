/**
 * What failures say in the language of whoever asked. In English an error speaks for itself; other
 * languages have a sentence for each code, and for each field that holds a value of no use.
 */
import type { ErrorCode, HttpError } from '../http/errors.ts';
import type { Reply } from '../http/reply.ts';
import type { Language } from '../model/locale.ts';

type AppCode = Extract<ErrorCode, `app-${string}`>;
/** These tell of a request that no page sends, or of a value: its field says which. */
type Silent =
  | 'app-bad-value'
  | 'app-bad-body'
  | 'app-text-missing'
  | 'app-list-missing'
  | 'app-switch-missing'
  | 'app-bad-host'
  | 'app-foreign-page'
  | 'app-method-not-allowed'
  | 'app-not-json';
const fields = [
  'domain',
  'timezone',
  'currency',
  'aliases',
  'excludedIps',
  'excludedPaths',
  'senderHits',
  'senderBurst',
  'name',
  'email',
  'password',
  'newPassword',
  'conditions',
  'filters',
  'question',
  'value',
  'search',
] as const;
type Field = (typeof fields)[number];
type Texts = Readonly<Record<Exclude<AppCode, Silent> | Field, string>>;

const de: Texts = {
  'app-wrong-password': 'Das ist nicht Ihr aktuelles Passwort.',
  'app-signed-out': 'Melden Sie sich zuerst an.',
  'app-sign-in-failed': 'Die E-Mail oder das Passwort ist falsch.',
  'app-not-found': 'Unter dieser Adresse gibt es nichts.',
  'app-no-site': 'Diese Website gibt es nicht.',
  'app-no-removal': 'Diese Entfernung gibt es nicht. Ihre Hits wurden vielleicht schon zurückgeholt.',
  'app-no-upload': 'Diese Datei ist nicht mehr da. Wählen Sie sie noch einmal.',
  'app-upload-too-large':
    'Das ist mehr, als hochgeladen werden darf (IMPORT_UPLOAD_MB). Importieren Sie es mit dem Befehl daybook import.',
  'app-no-room': 'Auf der Festplatte des Servers ist nicht genug Platz.',
  'app-no-import': 'Diesen Import gibt es nicht. Vielleicht wurde er schon zurückgenommen.',
  'app-no-definition': 'Unter diesem Namen gibt es nichts. Vielleicht wurde es umbenannt oder entfernt.',
  'app-no-key': 'Diesen Schlüssel gibt es nicht.',
  'app-dead-link': 'Dieser Link ist abgelaufen oder wurde schon verwendet.',
  'app-taken': 'Das wird schon verwendet.',
  'app-too-many-keys': 'Ein Konto hat höchstens 100 API-Schlüssel.',
  'app-too-many-listed':
    'Alle Websites eines Kontos haben zusammen höchstens 10.000 Alias-Namen, ausgeschlossene Adressen und ausgeschlossene Pfade.',
  'app-too-many-sites': 'Ein Konto hat höchstens 1.000 Websites und Gruppen.',
  'app-is-rollup': 'Eine Gruppe hat keine eigenen Hits. Wählen Sie eine ihrer Websites.',
  'app-removing': 'Es werden schon Hits importiert oder zurückgeholt. Warten Sie, bis das fertig ist.',
  'app-too-large': 'Diese Anfrage ist zu groß.',
  'app-too-many-attempts': 'Zu viele Versuche.',
  'app-failed': 'Etwas ist schiefgegangen. Näheres steht im Protokoll des Servers.',
  'app-busy': 'Gerade melden sich zu viele an.',
  domain: 'Das ist keine Domain. Schreiben Sie sie wie example.com.',
  timezone: 'Diese Zeitzone gibt es nicht. Schreiben Sie sie wie Europe/Berlin.',
  currency: 'Diese Währung gibt es nicht. Schreiben Sie ihren Code nach ISO 4217, etwa EUR.',
  aliases: 'Diese Namen sind nicht möglich. Es dürfen 100 sein, jeder wie example.com, matomo:1 oder goatcounter:code.',
  excludedIps:
    'Diese Liste ist nicht möglich. Es dürfen 1.000 Adressen und Bereiche sein, jede wie 203.0.113.9 oder 203.0.113.0/24.',
  excludedPaths:
    'Diese Liste ist nicht möglich. Es dürfen 100 Pfade sein, jeder mit höchstens 200 Zeichen und 10 Sternen. Ein Pfad beginnt mit / oder *, etwa /admin/**.',
  senderHits: 'Schreiben Sie eine ganze Zahl von 1 bis 999999, oder nichts für die übliche.',
  senderBurst: 'Schreiben Sie eine ganze Zahl von 1 bis 999999, oder nichts für die übliche.',
  name: 'Dieser Name ist nicht möglich. Er braucht 1 bis 100 Zeichen.',
  email: 'Das ist keine E-Mail-Adresse. Schreiben Sie sie wie ada@example.com.',
  password: 'Dieses Passwort ist zu kurz, zu lang oder zu leicht zu erraten. Wählen Sie ein anderes.',
  newPassword: 'Dieses Passwort ist zu kurz, zu lang oder zu leicht zu erraten. Wählen Sie ein anderes.',
  conditions: 'Diese Bedingungen lassen sich nicht lesen. Schreiben Sie sie wie event=Signup.',
  filters: 'Diese Filter lassen sich nicht speichern.',
  question: 'Dieser Trichter lässt sich nicht speichern.',
  value: 'Ein Wert ist ein Betrag wie 49,00.',
  search: 'Wählen Sie zuerst einen Filter.',
};

const fr: Texts = {
  'app-wrong-password': 'Ce n’est pas votre mot de passe actuel.',
  'app-signed-out': 'Connectez-vous d’abord.',
  'app-sign-in-failed': 'L’e-mail ou le mot de passe est incorrect.',
  'app-not-found': 'Il n’y a rien à cette adresse.',
  'app-no-site': 'Ce site n’existe pas.',
  'app-no-removal': 'Ce retrait n’existe pas. Ses hits ont peut-être déjà été rétablis.',
  'app-no-upload': 'Ce fichier n’est plus là. Choisissez-le à nouveau.',
  'app-upload-too-large':
    'C’est plus que ce qui peut être envoyé (IMPORT_UPLOAD_MB). Importez-le avec la commande daybook import.',
  'app-no-room': 'Il n’y a pas assez de place sur le disque du serveur.',
  'app-no-import': 'Cet import n’existe pas. Il a peut-être déjà été annulé.',
  'app-no-definition': 'Il n’y a rien de ce nom. Il a peut-être été renommé ou supprimé.',
  'app-no-key': 'Cette clé n’existe pas.',
  'app-dead-link': 'Ce lien a expiré ou a déjà servi.',
  'app-taken': 'C’est déjà utilisé.',
  'app-too-many-keys': 'Un compte a au plus 100 clés d’API.',
  'app-too-many-listed':
    'Tous les sites d’un compte ont ensemble au plus 10 000 alias, adresses exclues et chemins exclus.',
  'app-too-many-sites': 'Un compte a au plus 1 000 sites et groupes.',
  'app-is-rollup': 'Un groupe n’a pas de hits à lui. Choisissez l’un de ses sites.',
  'app-removing': 'Des hits sont déjà en cours d’import ou de rétablissement. Attendez que ce soit fini.',
  'app-too-large': 'Cette requête est trop grande.',
  'app-too-many-attempts': 'Trop de tentatives.',
  'app-failed': 'Une erreur s’est produite. Le journal du serveur donne les détails.',
  'app-busy': 'Trop de personnes se connectent en ce moment.',
  domain: 'Ce n’est pas un domaine. Écrivez-le comme example.com.',
  timezone: 'Ce fuseau horaire n’existe pas. Écrivez-le comme Europe/Paris.',
  currency: 'Cette devise n’existe pas. Écrivez son code ISO 4217, comme EUR.',
  aliases:
    'Ces noms ne sont pas possibles. Il peut y en avoir 100, chacun comme example.com, matomo:1 ou goatcounter:code.',
  excludedIps:
    'Cette liste n’est pas possible. Il peut y avoir 1 000 adresses et plages, chacune comme 203.0.113.9 ou 203.0.113.0/24.',
  excludedPaths:
    'Cette liste n’est pas possible. Il peut y avoir 100 chemins, chacun de 200 caractères et 10 étoiles au plus. Un chemin commence par / ou *, comme /admin/**.',
  senderHits: 'Écrivez un nombre entier de 1 à 999999, ou rien pour garder l’habituel.',
  senderBurst: 'Écrivez un nombre entier de 1 à 999999, ou rien pour garder l’habituel.',
  name: 'Ce nom n’est pas possible. Il lui faut de 1 à 100 caractères.',
  email: 'Ce n’est pas une adresse e-mail. Écrivez-la comme ada@example.com.',
  password: 'Ce mot de passe est trop court, trop long ou trop facile à deviner. Choisissez-en un autre.',
  newPassword: 'Ce mot de passe est trop court, trop long ou trop facile à deviner. Choisissez-en un autre.',
  conditions: 'Ces conditions ne sont pas lisibles. Écrivez-les comme event=Signup.',
  filters: 'Ces filtres ne peuvent pas être enregistrés.',
  question: 'Cet entonnoir ne peut pas être enregistré.',
  value: 'Une valeur est un montant comme 49,00.',
  search: 'Choisissez d’abord un filtre.',
};

const texts: Record<Exclude<Language, 'en'>, Partial<Readonly<Record<string, string>>>> = { de, fr };

/** The reply of an error, in a language. */
export const replyIn = (language: Language, { code, field, reply }: HttpError): Reply => {
  if (language === 'en') return reply;
  const text = texts[language][code === 'app-bad-value' ? (field ?? '') : code];
  return text === undefined ? reply : { ...reply, body: JSON.stringify({ ...JSON.parse(reply.body), error: text }) };
};
