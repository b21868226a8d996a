/** Why a theme cannot be used. */
export const themeProblems = [
  'archiveTooLarge',
  'asset',
  'checksum',
  'color',
  'contrast',
  'cssTooComplex',
  'cssTooLarge',
  'duplicate',
  'entryType',
  'fileName',
  'json',
  'noThemeJson',
  'notTar',
  'statusColors',
  'tooManyFiles',
  'truncated',
] as const
export type ThemeProblem = (typeof themeProblems)[number]

/** A theme that is damaged or unreadable. `detail` names the file, the color or the pair of colors. */
export class ThemeError extends Error {
  readonly problem: ThemeProblem
  readonly detail: string

  constructor(problem: ThemeProblem, detail = '') {
    super(`${problem} ${detail}`)
    this.name = 'ThemeError'
    this.problem = problem
    this.detail = detail
  }
}
