import { TextInput, type TextInputProps } from '@mantine/core'
import { codeInputProps } from '../../ui/fields/code-input.ts'
import { getText, type Path, setText } from './json-path.ts'
import type { SectionProps } from './section-card.tsx'

interface PathInputProps extends SectionProps, Omit<TextInputProps, 'value' | 'onChange'> {
  readonly path: Path
}

/** A code input for an optional field of the definition. An empty text removes the field. */
export function PathInput({ raw, onChange, path, ...rest }: PathInputProps) {
  return (
    <TextInput
      {...codeInputProps}
      {...rest}
      value={getText(raw, path)}
      onChange={(event) => onChange(setText(raw, path, event.currentTarget.value))}
    />
  )
}
