import type { TagCount } from '@innkeeper/contract/servers/servers'
import { limits } from '@innkeeper/contract/text/limits'
import { tagKey } from '@innkeeper/contract/text/names'
import { Group, MultiSelect, Text } from '@mantine/core'
import { IconTags } from '@tabler/icons-react'
import { useT } from '../../../i18n/i18n.tsx'
import { useFormatters } from '../../../i18n/use-formatters.ts'
import { RemovablePill } from '../../../ui/fields/removable-pill.tsx'

interface TagFilterProps {
  readonly tags: readonly TagCount[]
  readonly value: readonly string[]
  readonly onChange: (tags: readonly string[]) => void
}

/** Filters by tags: servers must have all selected ones. */
export function TagFilter({ tags, value, onChange }: TagFilterProps) {
  const t = useT()
  const { number } = useFormatters()
  const counts = new Map(tags.map(({ name, count }) => [name, count]))
  // A link can name a tag that no server has now, or in another case.
  const known = new Map(tags.map(({ name }) => [tagKey(name), name]))
  const selected = [...new Set(value.map((tag) => known.get(tagKey(tag)) ?? tag))]

  return (
    <MultiSelect
      className="ik-soft"
      w={{ base: '100%', sm: selected.length === 0 ? '10rem' : 'auto' }}
      maw={{ sm: '26rem' }}
      aria-label={t('servers.TagFilter')}
      placeholder={selected.length === 0 ? t('servers.AllTags') : undefined}
      leftSection={<IconTags size={15} aria-hidden />}
      data={[...new Set([...counts.keys(), ...selected])]}
      value={selected}
      onChange={onChange}
      searchable
      hidePickedOptions
      maxValues={limits.tagsPerServer}
      nothingFoundMessage={t('servers.NoTagFound')}
      renderOption={({ option }) => (
        <Group justify="space-between" gap="sm" wrap="nowrap" flex={1} miw={0}>
          <Text inherit truncate dir="auto">
            {option.value}
          </Text>
          <Text inherit c="dimmed">
            {number(counts.get(option.value) ?? 0)}
          </Text>
        </Group>
      )}
      renderPill={({ value: tag = '', onRemove }) => (
        <RemovablePill label={tag} removeLabel={t('servers.TagFilterRemove', { tag })} onRemove={onRemove} />
      )}
    />
  )
}
