import { ActionIcon, Button, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useText } from '../../i18n/text.tsx'
import { LineInputs } from '../../ui/line-inputs.tsx'
import { moved, SortableList, SortableRow, useRowIds } from '../../ui/sortable.tsx'
import classes from './definition-editor.module.css'
import { groupsIn, withGroups } from './groups.ts'
import { code, PartCard, type PartProps } from './part.tsx'
import { linesAt, type Raw, textAt, withPart, withTextAt } from './raw.ts'

/** The headings under which the variables stand on a server's settings. */
export function GroupsCard({ raw, onChange }: PartProps) {
  const text = useText()
  const groups = groupsIn(raw)
  const { ids, carry } = useRowIds(groups)
  const become = (next: readonly Raw[], nextIds: readonly (number | undefined)[]) => {
    const changed = withGroups(raw, next)
    carry(groupsIn(changed), nextIds)
    onChange(changed)
  }
  return (
    <PartCard section="groups">
      <p className={`${classes.quiet} ${classes.wide}`}>{text('definition.GroupsHow')}</p>
      {groups.length > 0 && (
        <SortableList
          className={classes.wide ?? ''}
          ids={ids}
          label={text('definition.Section_groups')}
          nameOf={(at) => textAt(groups[at] ?? {}, ['display']) || text('definition.Unnamed')}
          onMove={(from, to) => become(moved(groups, from, to), moved(ids, from, to))}
        >
          {groups.map((group, at) => (
            <Group
              key={ids[at]}
              id={ids[at] ?? 0}
              number={at + 1}
              group={group}
              onChange={(next) => become(groups.with(at, next), ids)}
              onRemove={() => become(groups.toSpliced(at, 1), ids.toSpliced(at, 1))}
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
          {text('definition.AddGroup')}
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
  const text = useText()
  return (
    <SortableRow id={id}>
      {(grip) => (
        <div className={classes.groupRow}>
          <div className={classes.groupHead}>
            {grip}
            <span className={classes.grow}>{text('definition.GroupNumber', { number })}</span>
            <ActionIcon aria-label={text('definition.RemoveGroup', { number })} onClick={onRemove}>
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </div>
          <TextInput
            label={text('definition.VariableDisplay')}
            value={textAt(group, ['display'])}
            onChange={(event) => onChange(withPart(group, ['display'], event.currentTarget.value))}
          />
          <TextInput
            label={text('definition.VariableDesc')}
            value={textAt(group, ['description'])}
            onChange={(event) => onChange(withTextAt(group, ['description'], event.currentTarget.value))}
          />
          <TextInput
            {...code}
            label={text('definition.Condition')}
            value={textAt(group, ['if'])}
            onChange={(event) => onChange(withTextAt(group, ['if'], event.currentTarget.value))}
          />
          <LineInputs
            label={text('definition.Section_variables')}
            lines={linesAt(group, ['variables'])}
            onChange={(lines) => onChange(withPart(group, ['variables'], lines))}
          />
        </div>
      )}
    </SortableRow>
  )
}
