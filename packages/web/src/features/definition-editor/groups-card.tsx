import { ActionIcon, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import isEqual from 'fast-deep-equal'
import { useT } from '../../i18n/i18n.tsx'
import { StringListInput } from '../../ui/fields/string-list-input.tsx'
import { AddButton } from '../../ui/layout/add-button.tsx'
import { useRowIds } from '../../ui/lists/row-ids.ts'
import { arrayMove, SortableList, SortableRow } from '../../ui/lists/sortable.tsx'
import { getLines, getText, isObject, type JsonObject, setIn, setText } from './json-path.ts'
import { PathInput, SectionCard, type SectionProps } from './section-card.tsx'

/** The headings of variables in a server's settings. */
export function GroupsCard({ raw, onChange }: SectionProps) {
  const t = useT()
  const groups = getGroups(raw)
  const { ids, keepIds } = useRowIds(groups)
  const update = (next: readonly JsonObject[], nextIds: readonly (number | undefined)[]) => {
    const changed = setGroups(raw, next)
    keepIds(getGroups(changed), nextIds)
    onChange(changed)
  }
  return (
    <SectionCard section="groups">
      <Text c="dimmed">{t('definition.GroupsHelp')}</Text>
      {groups.length > 0 && (
        <SortableList
          ids={ids}
          label={t('definition.Section_groups')}
          getName={(index) => getText(groups[index] ?? {}, ['display']) || t('definition.Unnamed')}
          onMove={(from, to) => update(arrayMove(groups, from, to), arrayMove(ids, from, to))}
        >
          {groups.map((group, index) => (
            <GroupRow
              key={ids[index]}
              id={ids[index] ?? 0}
              number={index + 1}
              group={group}
              onChange={(next) => update(groups.with(index, next), ids)}
              onRemove={() => update(groups.toSpliced(index, 1), ids.toSpliced(index, 1))}
            />
          ))}
        </SortableList>
      )}
      <AddButton onClick={() => update([...groups, { display: '', variables: [] }], [...ids, undefined])}>
        {t('definition.AddGroup')}
      </AddButton>
    </SectionCard>
  )
}

interface GroupRowProps {
  readonly id: number
  readonly number: number
  readonly group: JsonObject
  readonly onChange: (group: JsonObject) => void
  readonly onRemove: () => void
}

function GroupRow({ id, number, group, onChange, onRemove }: GroupRowProps) {
  const t = useT()
  return (
    <SortableRow id={id}>
      {(handle) => (
        <Stack gap="sm" py="sm">
          <Group gap="xs" wrap="nowrap">
            {handle}
            <Text fw={500} flex={1}>
              {t('definition.GroupNumber', { number })}
            </Text>
            <ActionIcon aria-label={t('definition.RemoveGroup', { number })} onClick={onRemove}>
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </Group>
          <SimpleGrid minColWidth="min(100%, 13rem)" autoFlow="auto-fit" spacing="md" verticalSpacing="sm">
            <TextInput
              label={t('common.DisplayName')}
              value={getText(group, ['display'])}
              onChange={(event) => onChange(setIn(group, ['display'], event.currentTarget.value))}
            />
            <TextInput
              label={t('common.Description')}
              value={getText(group, ['description'])}
              onChange={(event) => onChange(setText(group, ['description'], event.currentTarget.value))}
            />
            <PathInput raw={group} onChange={onChange} path={['if']} label={t('steps.Condition')} />
          </SimpleGrid>
          <StringListInput
            label={t('definition.Section_variables')}
            values={getLines(group, ['variables'])}
            onChange={(lines) => onChange(setIn(group, ['variables'], lines))}
          />
        </Stack>
      )}
    </SortableRow>
  )
}

/** The groups of variables in the order of a server's settings. */
export function getGroups({ groups }: JsonObject): readonly JsonObject[] {
  return (Array.isArray(groups) ? groups.filter(isObject) : []).toSorted((a, b) => getOrder(a) - getOrder(b))
}

/** Sets the groups in this order. Their `order` fields are rewritten only when they would sort them differently. */
export function setGroups(raw: JsonObject, groups: readonly JsonObject[]): JsonObject {
  if (groups.length === 0) return setIn(raw, ['groups'], undefined)
  const changed = setIn(raw, ['groups'], groups)
  if (isEqual(getGroups(changed), groups)) return changed
  const numbered = groups.map((group, index) => ({ ...group, order: index + 1 }))
  return setIn(raw, ['groups'], numbered)
}

const getOrder = ({ order }: JsonObject): number => (Number.isFinite(Number(order)) ? Number(order) : 0)
