import { encodingChoices, findConsoleEncoding } from '@innkeeper/contract/definitions/console-encodings'
import { sleepMinutes } from '@innkeeper/contract/definitions/sleep'
import { limits } from '@innkeeper/contract/text/limits'
import {
  ActionIcon,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { codeInputProps } from '../../ui/fields/code-input.ts'
import { StringListInput } from '../../ui/fields/string-list-input.tsx'
import { AddButton } from '../../ui/layout/add-button.tsx'
import { useRowIds } from '../../ui/lists/row-ids.ts'
import { arrayMove, SortableList, SortableRow } from '../../ui/lists/sortable.tsx'
import {
  getIn,
  getLines,
  getText,
  isIntegerText,
  isObject,
  type JsonObject,
  setIn,
  toBoolean,
  toText,
} from './json-path.ts'
import { FieldRow, PathInput, SectionCard, type SectionProps } from './section-card.tsx'
import { issueMessage, readyPatternPath, type ValidationIssue } from './validation.ts'

const flags = ['autostart', 'autorestart', 'autorecover', 'restartWhenNotResponding', 'disabled'] as const

const sleepPath = ['run', 'sleepAfterMinutes']

/** The command, its working directory, and when and how the server is started. */
export function RunCard({ raw, onChange, issues }: SectionProps & { readonly issues: readonly ValidationIssue[] }) {
  const t = useT()
  const encoding = findConsoleEncoding({ encoding: getText(raw, ['run', 'encoding']) })
  const patternIssue = issues.find(({ path }) => path === readyPatternPath)
  return (
    <SectionCard section="run">
      <Group>
        <SegmentedControl
          size="xs"
          aria-label={t('definition.CommandType')}
          value={isConditional(raw) ? 'conditional' : 'single'}
          onChange={(type) => onChange(type === 'conditional' ? toConditional(raw) : toSingleCommand(raw))}
          data={[
            { value: 'single', label: t('definition.SingleCommand') },
            { value: 'conditional', label: t('definition.ConditionalCommands') },
          ]}
        />
      </Group>
      {isConditional(raw) ? (
        <Commands raw={raw} onChange={onChange} />
      ) : (
        <Textarea
          {...codeInputProps}
          label={t('console.Command')}
          description={t('definition.CommandHelp', { variable: '${name}' })}
          autosize
          minRows={2}
          value={getText(raw, ['run', 'command'])}
          onChange={(event) => onChange(setIn(raw, ['run', 'command'], event.currentTarget.value))}
        />
      )}
      {getText(raw, ['run', 'program']) !== '' && (
        <PathInput
          raw={raw}
          onChange={onChange}
          path={['run', 'program']}
          label={t('definition.Program')}
          description={t('definition.ProgramHelp')}
        />
      )}
      <StringListInput
        label={t('definition.Arguments')}
        description={t('definition.ArgumentsHelp')}
        values={getLines(raw, ['run', 'arguments'])}
        onChange={(lines) => onChange(setIn(raw, ['run', 'arguments'], lines.length === 0 ? undefined : lines))}
      />
      <FieldRow>
        <PathInput
          raw={raw}
          onChange={onChange}
          path={['run', 'workingDirectory']}
          label={t('definition.WorkingDirectory')}
          description={t('definition.WorkingDirectoryHelp')}
        />
        <TextInput
          {...codeInputProps}
          label={t('definition.ExitCode')}
          description={t('definition.ExitCodeHelp')}
          inputMode="numeric"
          placeholder="0"
          value={getText(raw, ['run', 'expectedExitCode'])}
          onChange={(event) => {
            const digits = event.currentTarget.value.replace(/\D/g, '').slice(0, 5)
            onChange(setIn(raw, ['run', 'expectedExitCode'], isIntegerText(digits) ? Number(digits) : undefined))
          }}
        />
      </FieldRow>
      <PathInput
        raw={raw}
        onChange={onChange}
        path={['run', 'readyPattern']}
        label={t('definition.ReadyPattern')}
        description={t('definition.ReadyPatternHelp', { example: 'Server started' })}
        maxLength={limits.patternMax}
        error={patternIssue && issueMessage(t, patternIssue)}
      />
      <Select
        label={t('definition.Encoding')}
        description={t('definition.EncodingHelp')}
        searchable
        allowDeselect={false}
        maw={{ sm: '24rem' }}
        data={encodingChoices}
        value={encoding === 'unknown' ? null : (encoding ?? '')}
        onChange={(value) => onChange(setIn(raw, ['run', 'encoding'], value || undefined))}
      />
      <NumberInput
        label={t('definition.SleepAfter')}
        description={t('definition.SleepAfterHelp')}
        maw={{ sm: '24rem' }}
        min={sleepMinutes.min}
        max={sleepMinutes.max}
        allowDecimal={false}
        value={Number(getIn(raw, sleepPath)) || ''}
        onChange={(minutes) => onChange(setIn(raw, sleepPath, minutes === '' ? undefined : Number(minutes)))}
      />
      <Group gap="lg">
        {flags.map((flag) => (
          <Switch
            key={flag}
            label={t(`definition.Flag_${flag}`)}
            checked={toBoolean(getIn(raw, ['run', flag]))}
            onChange={(event) => onChange(setIn(raw, ['run', flag], event.currentTarget.checked))}
          />
        ))}
      </Group>
    </SectionCard>
  )
}

/** Several commands: the first one whose condition is true runs. */
function Commands({ raw, onChange }: SectionProps) {
  const t = useT()
  const commands = getCommands(raw)
  const { ids, keepIds } = useRowIds(commands)
  const update = (next: readonly JsonObject[], nextIds: readonly (number | undefined)[]) => {
    keepIds(next, nextIds)
    onChange(setIn(raw, ['run', 'command'], next))
  }
  return (
    <Stack gap="2xs" align="stretch">
      <Text variant="caption">{t('definition.CommandsHelp')}</Text>
      <SortableList
        ids={ids}
        label={t('definition.Commands')}
        getName={(index) => t('definition.CommandNumber', { number: index + 1 })}
        onMove={(from, to) => update(arrayMove(commands, from, to), arrayMove(ids, from, to))}
      >
        {commands.map((command, index) => (
          <CommandRow
            key={ids[index]}
            id={ids[index] ?? 0}
            number={index + 1}
            command={command}
            onChange={(next) => update(commands.with(index, next), ids)}
            onRemove={() => update(commands.toSpliced(index, 1), ids.toSpliced(index, 1))}
          />
        ))}
      </SortableList>
      <AddButton isCompact onClick={() => update([...commands, { command: '' }], [...ids, undefined])}>
        {t('definition.AddCommand')}
      </AddButton>
    </Stack>
  )
}

interface CommandRowProps {
  readonly id: number
  readonly number: number
  readonly command: JsonObject
  readonly onChange: (command: JsonObject) => void
  readonly onRemove: () => void
}

/** One of several commands, with its condition. */
function CommandRow({ id, number, command, onChange, onRemove }: CommandRowProps) {
  const t = useT()
  return (
    <SortableRow id={id}>
      {(handle) => (
        <Group gap="xs" py="xs" wrap="nowrap">
          {handle}
          <Group gap="xs" flex={1} miw={0}>
            <PathInput
              raw={command}
              onChange={onChange}
              path={['if']}
              flex="1 1 8rem"
              maw={{ sm: '14rem' }}
              aria-label={t('definition.ConditionOf', { number })}
              placeholder={t('steps.Condition')}
            />
            <TextInput
              {...codeInputProps}
              flex="2 1 16rem"
              aria-label={t('definition.CommandNumber', { number })}
              placeholder={t('console.Command')}
              value={getText(command, ['command'])}
              onChange={(event) => onChange(setIn(command, ['command'], event.currentTarget.value))}
            />
          </Group>
          <ActionIcon aria-label={t('definition.RemoveCommand', { number })} onClick={onRemove}>
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
      )}
    </SortableRow>
  )
}

const commandPath = ['run', 'command']

/** Whether the definition has several commands with conditions. */
function isConditional(raw: JsonObject): boolean {
  return Array.isArray(getIn(raw, commandPath))
}

function getCommands(raw: JsonObject): readonly JsonObject[] {
  const commands = getIn(raw, commandPath)
  return Array.isArray(commands) ? commands.filter(isObject) : []
}

/** Makes the single command the first of several. */
function toConditional(raw: JsonObject): JsonObject {
  return isConditional(raw) ? raw : setIn(raw, commandPath, [{ command: toText(getIn(raw, commandPath)) }])
}

/** Keeps the command without a condition, or the first one. */
function toSingleCommand(raw: JsonObject): JsonObject {
  if (!isConditional(raw)) return raw
  const commands = getCommands(raw)
  const kept = commands.find((entry) => !entry.if) ?? commands[0]
  return setIn(raw, commandPath, toText(kept?.command))
}
