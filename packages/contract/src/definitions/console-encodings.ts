import type { Run } from './definition.ts'

/** Encodings of the console of a server other than UTF-8, with the names that people know. */
export const consoleEncodings = {
  gbk: 'GBK',
  gb18030: 'GB18030',
  big5: 'Big5',
  'big5-hkscs': 'Big5-HKSCS',
  shift_jis: 'Shift JIS',
  'euc-jp': 'EUC-JP',
  'euc-kr': 'EUC-KR',
  'iso-8859-1': 'Latin-1 (ISO 8859-1)',
  'iso-8859-2': 'Latin-2 (ISO 8859-2)',
  'iso-8859-3': 'ISO 8859-3',
  'iso-8859-4': 'ISO 8859-4',
  'iso-8859-5': 'ISO 8859-5',
  'iso-8859-6': 'ISO 8859-6',
  'iso-8859-7': 'ISO 8859-7',
  'iso-8859-8': 'ISO 8859-8',
  'iso-8859-9': 'Latin-5 (ISO 8859-9)',
  'iso-8859-10': 'ISO 8859-10',
  'iso-8859-13': 'ISO 8859-13',
  'iso-8859-14': 'ISO 8859-14',
  'iso-8859-15': 'Latin-9 (ISO 8859-15)',
  'iso-8859-16': 'ISO 8859-16',
  'windows-874': 'Windows-874',
  'windows-1250': 'Windows-1250',
  'windows-1251': 'Windows-1251',
  'windows-1252': 'Windows-1252',
  'windows-1253': 'Windows-1253',
  'windows-1254': 'Windows-1254',
  'windows-1255': 'Windows-1255',
  'windows-1256': 'Windows-1256',
  'windows-1257': 'Windows-1257',
  'windows-1258': 'Windows-1258',
  'koi8-r': 'KOI8-R',
  'koi8-u': 'KOI8-U',
  cp437: 'CP437',
  cp737: 'CP737',
  cp775: 'CP775',
  cp850: 'CP850',
  cp852: 'CP852',
  cp855: 'CP855',
  cp857: 'CP857',
  cp858: 'CP858',
  cp862: 'CP862',
  cp866: 'CP866',
} as const satisfies Record<string, string>
/** The names of all encodings by their values in a definition, the default first. */
export const encodingChoices: readonly { readonly value: string; readonly label: string }[] = [
  { value: '', label: 'UTF-8' },
  ...Object.entries(consoleEncodings).map(([value, label]) => ({ value, label })),
]

export type ConsoleEncoding = keyof typeof consoleEncodings

/** Other names of the same. */
const aliases: Readonly<Record<string, ConsoleEncoding>> = {
  gb2312: 'gbk',
  cp936: 'gbk',
  cp950: 'big5',
  sjis: 'shift_jis',
  'shift-jis': 'shift_jis',
  cp932: 'shift_jis',
  cp949: 'euc-kr',
  latin1: 'iso-8859-1',
  'latin-1': 'iso-8859-1',
}

const utf8Names: readonly string[] = ['', 'utf-8', 'utf8']

/** The encoding of a console. An unknown name, which only an imported definition can have, is taken for UTF-8. */
export function findKnownEncoding(run: Pick<Run, 'encoding'>): ConsoleEncoding | undefined {
  const encoding = findConsoleEncoding(run)
  return encoding === 'unknown' ? undefined : encoding
}

/** The encoding of a console; undefined for UTF-8, which is the default, `unknown` for an unknown name. */
export function findConsoleEncoding({ encoding }: Pick<Run, 'encoding'>): ConsoleEncoding | 'unknown' | undefined {
  const name = encoding?.trim().toLowerCase() ?? ''
  if (utf8Names.includes(name)) return undefined
  if (Object.hasOwn(consoleEncodings, name)) return name as ConsoleEncoding
  return Object.hasOwn(aliases, name) ? aliases[name] : 'unknown'
}
