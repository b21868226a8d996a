import { maxNodeLabels, NodeLabel } from '@innkeeper/contract/nodes/placement'
import { TagsInput, type TagsInputProps } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import { RemovablePill } from './removable-pill.tsx'

interface NodeLabelsInputProps extends Omit<TagsInputProps, 'value' | 'onChange'> {
  readonly value: readonly string[]
  readonly onChange: (labels: readonly string[]) => void
}

/** Labels of nodes. What is typed can hold what a label must not. */
export function NodeLabelsInput({ value, onChange, ...others }: NodeLabelsInputProps) {
  const t = useT()
  return (
    <TagsInput
      {...others}
      value={[...value]}
      maxTags={maxNodeLabels}
      splitChars={[',', ' ']}
      acceptValueOnBlur
      autoComplete="off"
      spellCheck={false}
      renderPill={({ value: label = '', onRemove }) => (
        <RemovablePill label={label} removeLabel={t('common.RemoveNamed', { name: label })} onRemove={onRemove} />
      )}
      onChange={(values) => {
        const labels = values.map((entered) => entered.toLowerCase())
        onChange([...new Set(labels)].filter((label) => NodeLabel.safeParse(label).success))
      }}
    />
  )
}
