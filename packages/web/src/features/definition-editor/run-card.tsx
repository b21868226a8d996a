import { limits } from '@innkeeper/contract/limits'
import { Button, SegmentedControl, Switch, Textarea, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useText } from '../../i18n/text.tsx'
import { LineInputs } from '../../ui/line-inputs.tsx'
import { moved, SortableList, useRowIds } from '../../ui/sortable.tsx'
import { CommandLine } from './command-line.tsx'
import { commandsIn, isSeveral, withOneCommand, withSeveral } from './commands.ts'
import classes from './definition-editor.module.css'
import { code, fieldOrder, PartCard, type PartProps } from './part.tsx'
import { type Problem, readyPatternField } from './problems.ts'
import { flagOf, isWhole, linesAt, partAt, textAt, withPart, withTextAt } from './raw.ts'
import { problemText } from './words.ts'

const flags = ['autostart', 'autorestart', 'autorecover', 'disabled'] as const

/** What starts the server, and where, and how it says that it is up. */
export function RunCard({ raw, onChange, problems }: PartProps & { readonly problems: readonly Problem[] }) {
  const text = useText()
  const wrongPattern = problems.find(({ at }) => at === readyPatternField)
  const args = linesAt(raw, ['run', 'arguments'])
  return (
    <PartCard section="run">
      <div className={classes.wide}>
        <SegmentedControl
          size="xs"
          aria-label={text('definition.CommandForm')}
          value={isSeveral(raw) ? 'several' : 'one'}
          onChange={(form) => onChange(form === 'several' ? withSeveral(raw) : withOneCommand(raw))}
          data={[
            { value: 'one', label: text('definition.CommandOne') },
            { value: 'several', label: text('definition.CommandSeveral') },
          ]}
        />
      </div>
      {isSeveral(raw) ? (
        <Commands raw={raw} onChange={onChange} />
      ) : (
        <Textarea
          {...code}
          className={classes.wide ?? ''}
          label={text('definition.Command')}
          description={text('definition.CommandHow', { variable: '${name}' })}
          inputWrapperOrder={fieldOrder}
          autosize
          minRows={2}
          value={textAt(raw, ['run', 'command'])}
          onChange={(event) => onChange(withPart(raw, ['run', 'command'], event.currentTarget.value))}
        />
      )}
      {textAt(raw, ['run', 'program']) !== '' && (
        <TextInput
          {...code}
          label={text('definition.Program')}
          description={text('definition.ProgramHow')}
          inputWrapperOrder={fieldOrder}
          value={textAt(raw, ['run', 'program'])}
          onChange={(event) => onChange(withTextAt(raw, ['run', 'program'], event.currentTarget.value))}
        />
      )}
      <div className={classes.wide}>
        <LineInputs
          label={text('definition.Arguments')}
          lines={args}
          onChange={(lines) => onChange(withPart(raw, ['run', 'arguments'], lines.length === 0 ? undefined : lines))}
        />
        <p className={classes.how}>{text('definition.ArgumentsHow')}</p>
      </div>
      <TextInput
        {...code}
        label={text('definition.WorkingDirectory')}
        description={text('definition.WorkingDirectoryHow')}
        inputWrapperOrder={fieldOrder}
        value={textAt(raw, ['run', 'workingDirectory'])}
        onChange={(event) => onChange(withTextAt(raw, ['run', 'workingDirectory'], event.currentTarget.value))}
      />
      <TextInput
        {...code}
        label={text('definition.ExitCode')}
        description={text('definition.ExitCodeHow')}
        inputWrapperOrder={fieldOrder}
        inputMode="numeric"
        placeholder="0"
        value={textAt(raw, ['run', 'expectedExitCode'])}
        onChange={(event) => {
          const typed = event.currentTarget.value.replace(/\D/g, '').slice(0, 5)
          onChange(withPart(raw, ['run', 'expectedExitCode'], isWhole(typed) ? Number(typed) : undefined))
        }}
      />
      <TextInput
        {...code}
        className={classes.wide ?? ''}
        label={text('definition.ReadyPattern')}
        description={text('definition.ReadyPatternHow', { example: 'Server started' })}
        inputWrapperOrder={fieldOrder}
        maxLength={limits.patternMax}
        value={textAt(raw, ['run', 'readyPattern'])}
        error={wrongPattern && problemText(text, wrongPattern)}
        onChange={(event) => onChange(withTextAt(raw, ['run', 'readyPattern'], event.currentTarget.value))}
      />
      <div className={`${classes.switches} ${classes.wide}`}>
        {flags.map((flag) => (
          <Switch
            key={flag}
            label={text(`definition.Flag_${flag}`)}
            checked={flagOf(partAt(raw, ['run', flag]))}
            onChange={(event) => onChange(withPart(raw, ['run', flag], event.currentTarget.checked))}
          />
        ))}
      </div>
    </PartCard>
  )
}

/** Commands of which the first whose condition holds runs. */
function Commands({ raw, onChange }: PartProps) {
  const text = useText()
  const commands = commandsIn(raw)
  const { ids, carry } = useRowIds(commands)
  const become = (next: readonly (typeof commands)[number][], nextIds: readonly (number | undefined)[]) => {
    carry(next, nextIds)
    onChange(withPart(raw, ['run', 'command'], next))
  }
  return (
    <div className={classes.wide}>
      <p className={classes.how}>{text('definition.CommandsHow')}</p>
      <SortableList
        ids={ids}
        label={text('definition.Commands')}
        nameOf={(at) => text('definition.CommandNumber', { number: at + 1 })}
        onMove={(from, to) => become(moved(commands, from, to), moved(ids, from, to))}
      >
        {commands.map((command, at) => (
          <CommandLine
            key={ids[at]}
            id={ids[at] ?? 0}
            number={at + 1}
            command={command}
            onChange={(next) => become(commands.with(at, next), ids)}
            onRemove={() => become(commands.toSpliced(at, 1), ids.toSpliced(at, 1))}
          />
        ))}
      </SortableList>
      <Button
        size="compact-xs"
        variant="subtle"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => become([...commands, { command: '' }], [...ids, undefined])}
      >
        {text('definition.AddCommand')}
      </Button>
    </div>
  )
}
