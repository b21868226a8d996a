import { imageNamed } from '@innkeeper/contract/definitions/container'
import { problemsOfDefinition } from '@innkeeper/contract/definitions/definition-problems'
import { issuesOfStep, type Step } from '@innkeeper/contract/definitions/operations'
import { convertEgg } from '@innkeeper/contract/eggs/convert-egg'
import { type Conversion, isMajorNote } from '@innkeeper/contract/templates/template-conversion'
import { noteTexts } from '../note-text.ts'

/** What an egg becomes here. */
export interface EggReport {
  readonly imported: boolean
  /** Its install script can run, or it has none. */
  readonly installable: boolean
  /** It has an image and a start command, and its template has no problems. */
  readonly runnable: boolean
  /** Notes of weight: what servers miss until the template is changed. */
  readonly notes: readonly string[]
  readonly minorNotes: readonly string[]
}

export function reportEgg(json: unknown): EggReport {
  let conversion: Conversion
  try {
    conversion = convertEgg(json)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { imported: false, installable: false, runnable: false, notes: [reason], minorNotes: [] }
  }
  const { template, notes } = conversion
  const problems = problemsOfDefinition(template)
  const isInstall = ({ metadata }: (typeof problems)[number]) => String(metadata.field).startsWith('install.')
  const others = problems.filter((problem) => !isInstall(problem))
  const badSteps = (template.install ?? []).filter((step) => !canRun(step))
  const kinds = notes.map(({ kind }) => kind)
  return {
    imported: true,
    installable: !problems.some(isInstall) && badSteps.length === 0,
    runnable: others.length === 0 && !kinds.includes('noCommand') && !kinds.includes('noImage'),
    notes: [
      ...noteTexts(notes.filter(isMajorNote)),
      ...problems.map(({ message }) => message),
      ...badSteps.map(({ image }) => `the install script has no valid image: ${image}`),
    ],
    minorNotes: noteTexts(notes.filter((note) => !isMajorNote(note))),
  }
}

const canRun = (step: Step): boolean =>
  issuesOfStep(step).length === 0 && typeof step.image === 'string' && isImage(step.image)

function isImage(name: string): boolean {
  try {
    imageNamed(name)
    return true
  } catch {
    return false
  }
}
