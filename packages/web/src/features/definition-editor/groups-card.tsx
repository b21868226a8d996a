import { ActionIcon, Button, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { arrayMove, SortableList, SortableRow, useRowIds } from '../../ui/sortable.tsx'
import { StringListInput } from '../../ui/string-list-input.tsx'
import classes from './definition-editor.module.css'
import { groupsIn, withGroups } from './groups.ts'
import { code, PartCard, type PartProps } from './part.tsx'
import { linesAt, type Raw, textAt, withPart, withTextAt } from './raw.ts'

/** The headings under which the variables stand on a server's settings. */
export function GroupsCard({ raw, onChange }: PartProps) {
  const t = useT()
  const groups = groupsIn(raw)
  const { ids, carry } = useRowIds(groups)
  const become = (next: readonly Raw[], nextIds: readonly (number | undefined)[]) => {
    const changed = withGroups(raw, next)
    carry(groupsIn(changed), nextIds)
    onChange(changed)
  }
  return (
    <PartCard section="groups">
      <p className={`${classes.quiet} ${classes.wide}`}>{t('definition.GroupsHow')}</p>
      {groups.length > 0 && (
        <SortableList
          className={classes.wide ?? ''}
          ids={ids}
          label={t('definition.Section_groups')}
          nameOf={(at) => textAt(groups[at] ?? {}, ['display']) || t('definition.Unnamed')}
          onMove={(from, to) => become(arrayMove(groups, from, to), arrayMove(ids, from, to))}
        >
          {groups.map((group, index) => (
            <Group
              key={ids[index]}
              id={ids[index] ?? 0}
              number={index + 1}
              group={group}
              onChange={(next) => become(groups.with(index, next), ids)}
              onRemove={() => become(groups.toSpliced(index, 1), ids.toSpliced(index, 1))}
            />
          ))}
        </SortableList>
      )}
      <div className={classes.wide}>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => become([...groups, { display: '', variables: [] }], [...ids, undefined])}
        >
          {t('definition.AddGroup')}
        </Button>
      </div>
    </PartCard>
  )
}

interface GroupProps {
  readonly id: number
  readonly number: number
  readonly group: Raw
  readonly onChange: (group: Raw) => void
  readonly onRemove: () => void
}

function Group({ id, number, group, onChange, onRemove }: GroupProps) {
  const t = useT()
  return (
    <SortableRow id={id}>
      {(grip) => (
        <div className={classes.groupRow}>
          <div className={classes.groupHead}>
            {grip}
            <span className={classes.grow}>{t('definition.GroupNumber', { number })}</span>
            <ActionIcon aria-label={t('definition.RemoveGroup', { number })} onClick={onRemove}>
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </div>
          <TextInput
            label={t('definition.VariableDisplay')}
            value={textAt(group, ['display'])}
            onChange={(event) => onChange(withPart(group, ['display'], event.currentTarget.value))}
          />
          <TextInput
            label={t('definition.VariableDesc')}
            value={textAt(group, ['description'])}
            onChange={(event) => onChange(withTextAt(group, ['description'], event.currentTarget.value))}
          />
          <TextInput
            {...code}
            label={t('definition.Condition')}
            value={textAt(group, ['if'])}
            onChange={(event) => onChange(withTextAt(group, ['if'], event.currentTarget.value))}
          />
          <StringListInput
            label={t('definition.Section_variables')}
            values={linesAt(group, ['variables'])}
            onChange={(lines) => onChange(withPart(group, ['variables'], lines))}
          />
        </div>
      )}
    </SortableRow>
  )
}
