import { limits } from '@innkeeper/contract/limits'
import { Button, SegmentedControl, Switch, Textarea, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { arrayMove, SortableList, useRowIds } from '../../ui/sortable.tsx'
import { StringListInput } from '../../ui/string-list-input.tsx'
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
  const t = useT()
  const wrongPattern = problems.find(({ at }) => at === readyPatternField)
  const args = linesAt(raw, ['run', 'arguments'])
  return (
    <PartCard section="run">
      <div className={classes.wide}>
        <SegmentedControl
          size="xs"
          aria-label={t('definition.CommandForm')}
          value={isSeveral(raw) ? 'several' : 'one'}
          onChange={(form) => onChange(form === 'several' ? withSeveral(raw) : withOneCommand(raw))}
          data={[
            { value: 'one', label: t('definition.CommandOne') },
            { value: 'several', label: t('definition.CommandSeveral') },
          ]}
        />
      </div>
      {isSeveral(raw) ? (
        <Commands raw={raw} onChange={onChange} />
      ) : (
        <Textarea
          {...code}
          className={classes.wide ?? ''}
          label={t('definition.Command')}
          description={t('definition.CommandHow', { variable: '${name}' })}
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
          label={t('definition.Program')}
          description={t('definition.ProgramHow')}
          inputWrapperOrder={fieldOrder}
          value={textAt(raw, ['run', 'program'])}
          onChange={(event) => onChange(withTextAt(raw, ['run', 'program'], event.currentTarget.value))}
        />
      )}
      <div className={classes.wide}>
        <StringListInput
          label={t('definition.Arguments')}
          values={args}
          onChange={(lines) => onChange(withPart(raw, ['run', 'arguments'], lines.length === 0 ? undefined : lines))}
        />
        <p className={classes.how}>{t('definition.ArgumentsHow')}</p>
      </div>
      <TextInput
        {...code}
        label={t('definition.WorkingDirectory')}
        description={t('definition.WorkingDirectoryHow')}
        inputWrapperOrder={fieldOrder}
        value={textAt(raw, ['run', 'workingDirectory'])}
        onChange={(event) => onChange(withTextAt(raw, ['run', 'workingDirectory'], event.currentTarget.value))}
      />
      <TextInput
        {...code}
        label={t('definition.ExitCode')}
        description={t('definition.ExitCodeHow')}
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
        label={t('definition.ReadyPattern')}
        description={t('definition.ReadyPatternHow', { example: 'Server started' })}
        inputWrapperOrder={fieldOrder}
        maxLength={limits.patternMax}
        value={textAt(raw, ['run', 'readyPattern'])}
        error={wrongPattern && problemText(t, wrongPattern)}
        onChange={(event) => onChange(withTextAt(raw, ['run', 'readyPattern'], event.currentTarget.value))}
      />
      <div className={`${classes.switches} ${classes.wide}`}>
        {flags.map((flag) => (
          <Switch
            key={flag}
            label={t(`definition.Flag_${flag}`)}
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
  const t = useT()
  const commands = commandsIn(raw)
  const { ids, carry } = useRowIds(commands)
  const become = (next: readonly (typeof commands)[number][], nextIds: readonly (number | undefined)[]) => {
    carry(next, nextIds)
    onChange(withPart(raw, ['run', 'command'], next))
  }
  return (
    <div className={classes.wide}>
      <p className={classes.how}>{t('definition.CommandsHow')}</p>
      <SortableList
        ids={ids}
        label={t('definition.Commands')}
        nameOf={(at) => t('definition.CommandNumber', { number: at + 1 })}
        onMove={(from, to) => become(arrayMove(commands, from, to), arrayMove(ids, from, to))}
      >
        {commands.map((command, index) => (
          <CommandLine
            key={ids[index]}
            id={ids[index] ?? 0}
            number={index + 1}
            command={command}
            onChange={(next) => become(commands.with(index, next), ids)}
            onRemove={() => become(commands.toSpliced(index, 1), ids.toSpliced(index, 1))}
          />
        ))}
      </SortableList>
      <Button
        size="compact-xs"
        variant="subtle"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => become([...commands, { command: '' }], [...ids, undefined])}
      >
        {t('definition.AddCommand')}
      </Button>
    </div>
  )
}
