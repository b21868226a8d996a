import { limits } from '@innkeeper/contract/text/limits'
import { ServerTag, tagKey } from '@innkeeper/contract/text/names'
import { TagsInput } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import { useT } from '../../../i18n/i18n.tsx'
import { RemovablePill } from '../../../ui/fields/removable-pill.tsx'

interface TagsFieldProps {
  readonly label: string
  readonly value: readonly string[]
  /** The tags that the field suggests. */
  readonly knownTags: readonly string[]
  readonly onChange: (tags: readonly string[]) => void
  readonly 'data-autofocus'?: boolean
}

/** Selects tags: known ones from its list, new ones by typing. Tags that differ only in case are the same. */
export function TagsField({ value, knownTags, onChange, ...field }: TagsFieldProps) {
  const t = useT()
  const [query, setQuery] = useState('')
  const selected = new Set(value.map(tagKey))

  const onKeyDown = (event: KeyboardEvent) => {
    // Enter adds the tag. Without text it submits the dialog.
    if (event.key === 'Enter' && query.trim() !== '') event.nativeEvent.stopPropagation()
  }
  return (
    <TagsInput
      {...field}
      description={t('servers.TagsHint', { count: limits.tagsPerServer, max: limits.tagMax })}
      autoComplete="off"
      spellCheck={false}
      data={knownTags.filter((tag) => !selected.has(tagKey(tag)))}
      limit={50}
      openOnFocus={false}
      maxTags={limits.tagsPerServer}
      maxLength={limits.tagMax}
      splitChars={[',']}
      acceptValueOnBlur
      isDuplicate={(tag, tags) => tags.some((other) => tagKey(other) === tagKey(tag))}
      renderPill={({ value: tag = '', onRemove }) => (
        <RemovablePill label={tag} removeLabel={t('servers.TagRemove', { tag })} onRemove={onRemove} />
      )}
      searchValue={query}
      onSearchChange={setQuery}
      onKeyDown={onKeyDown}
      value={[...value]}
      // Pasted text can hold what a tag must not.
      onChange={(tags) => onChange(tags.filter((tag) => ServerTag.safeParse(tag).success))}
    />
  )
}
