import type { ConversionNote } from '@innkeeper/contract/templates/template-conversion'

/** Notes about a converted template, for the report; the rules of all variables are one line. */
export function noteTexts(notes: readonly ConversionNote[]): string[] {
  const rules = notes.flatMap((note) => (note.kind === 'variableRule' ? [`${note.variable} (${note.rule})`] : []))
  const others = notes.filter(({ kind }) => kind !== 'variableRule').map(noteText)
  return [...others, ...(rules.length > 0 ? [`rules for values that are not checked: ${rules.join(', ')}`] : [])]
}

/** One note. */
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
    case 'noImage':
      return 'it names no image: set one in the template'
    case 'configFile':
      return `the file ${note.file} is not changed before a start`
    case 'configValue':
      return `${note.key} in ${note.file} is not set before a start`
    case 'ready':
      return 'its servers count as online as soon as they run, because the pattern of the ready line is not supported'
    case 'variableRule':
      return `the rule ${note.rule} of ${note.variable} is not checked`
  }
}
