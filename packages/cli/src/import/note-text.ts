import type { ConversionNote } from '@innkeeper/contract/template-conversion'

/** A note about a converted template, for the report. */
export function noteText(note: ConversionNote): string {
  switch (note.kind) {
    case 'dropped':
      return `${note.where} is not supported`
    case 'step':
      return `the step ${note.type} in ${note.where} does not exist here`
    case 'environment':
      return `the environment ${note.type} does not exist here`
    case 'noEnvironment':
      return 'it has no environment, and gets the standard one'
    case 'noCommand':
      return 'it has no start command'
  }
}
