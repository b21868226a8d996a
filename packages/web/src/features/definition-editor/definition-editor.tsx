import { stepTypes, taskStepTypes } from '@innkeeper/contract/definitions/operations'
import { Anchor, Box, Flex, List, SegmentedControl, Stack, Text } from '@mantine/core'
import {
  IconAdjustments,
  IconBox,
  IconBraces,
  IconCloudDownload,
  IconDeviceGamepad2,
  IconFileInfo,
  IconHeartbeat,
  IconListDetails,
  IconListNumbers,
  IconLogin2,
  IconLogout2,
  IconMessageQuestion,
  IconPower,
  IconServerCog,
  IconTerminal,
  IconTrash,
  IconUserSearch,
  IconVariable,
  type TablerIcon,
} from '@tabler/icons-react'
import { Suspense } from 'react'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { StringListInput } from '../../ui/fields/string-list-input.tsx'
import { SectionNav } from '../../ui/layout/section-nav.tsx'
import { lazyView } from '../../ui/loading/lazy-view.tsx'
import { StepList } from '../steps/step-list.tsx'
import classes from './definition-editor.module.css'
import { getLivenessChecks, getPlayerActions, getPrompts, type SectionId, sectionIds, stepPaths } from './draft.ts'
import { EnvCard } from './env-card.tsx'
import { getEnvironments } from './environments.ts'
import { EnvironmentsCard, ServerEnvironmentCard } from './environments-card.tsx'
import { GeneralCard } from './general-card.tsx'
import { GroupsCard } from './groups-card.tsx'
import { getIn, getLines, getSteps, isObject, type JsonObject, setIn } from './json-path.ts'
import { LivenessCard } from './liveness-card.tsx'
import { PlayerActionsCard } from './player-actions-card.tsx'
import { PromptsCard } from './prompts-card.tsx'
import { QueryCard } from './query-card.tsx'
import { RunCard } from './run-card.tsx'
import { FieldRow, PathInput, SectionCard, type SectionProps, sectionElementId } from './section-card.tsx'
import { ShutdownCard } from './shutdown-card.tsx'
import type { Editor, EditorMode, JsonError } from './use-editor.ts'
import { type DefinitionKind, issueMessage, issueSummary, sectionName, type ValidationIssue } from './validation.ts'
import { VariablesCard } from './variables-card.tsx'

const JsonEditor = lazyView(async () => (await import('./json-editor.tsx')).JsonEditor)

/** The step types of definitions; the others are for tasks only. */
const definitionStepTypes = stepTypes.filter((type) => type !== 'stdin' && !taskStepTypes.includes(type))

/** Switches between the form and the JSON of a definition. */
export function ModeSwitch({ editor }: { editor: Editor }) {
  const t = useT()
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('definition.Mode')}
      value={editor.mode}
      onChange={(mode) => editor.changeMode(mode as EditorMode)}
      data={[
        { value: 'editor', label: <ModeLabel Icon={IconAdjustments} label={t('definition.ModeEditor')} /> },
        { value: 'json', label: <ModeLabel Icon={IconBraces} label={t('definition.ModeJson')} /> },
      ]}
    />
  )
}

function ModeLabel({ Icon, label }: { Icon: typeof IconBraces; label: string }) {
  return (
    <Flex component="span" display="inline-flex" align="center" gap="xs">
      <Icon size={15} aria-hidden />
      {label}
    </Flex>
  )
}

/** Edits a template or the definition of a server: as a form with a card for each section, or as JSON. */
export function DefinitionEditor({ editor }: { editor: Editor }) {
  const t = useT()
  const { mode, issues, kind, revision } = editor
  if (mode === 'json') return <JsonMode key={revision} editor={editor} />
  return (
    <Flex direction={{ base: 'column', lg: 'row' }} gap="lg">
      <Box visibleFrom="sm" flex="none" w={{ lg: '12.5rem' }}>
        <SectionNav label={t('common.Sections')} sections={getNavSections(editor, t)} />
      </Box>
      <Stack gap="md" flex={1} miw={0}>
        <IssueList issues={issues} kind={kind} />
        <Cards key={revision} editor={editor} />
      </Stack>
    </Flex>
  )
}

function JsonMode({ editor }: { editor: Editor }) {
  const t = useT()
  const { json, jsonError, issues, kind, editJson } = editor
  return (
    <Stack gap="sm" flex={1} mih={0}>
      {jsonError && <Alert type="error">{jsonErrorMessage(t, jsonError, kind)}</Alert>}
      {!jsonError && issues.length > 0 && (
        <Alert type="error">
          <List fz="inherit" listStyleType={issues.length === 1 ? 'none' : 'disc'}>
            {issues.map((issue) => (
              <List.Item key={`${issue.path} ${issue.type}`}>{issueSummary(t, issue, kind)}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Suspense fallback={<div className={classes.code} aria-busy="true" />}>
        <JsonEditor label={t('definition.ModeJson')} value={json} onChange={editJson} line={jsonError?.line} />
      </Suspense>
    </Stack>
  )
}

function jsonErrorMessage(t: TFunction, { line, column, issue }: JsonError, kind: DefinitionKind): string {
  if (line === undefined || column === undefined) return t('errors.ErrInvalidJson')
  if (issue) return t('definition.IssueAtLine', { line, message: issueSummary(t, issue, kind) })
  return t('common.InvalidJsonAt', { line, column })
}

function getNavSections({ current, kind }: Editor, t: TFunction) {
  const counts = { ...countItems(current ?? {}), ...(kind === 'server' && { environments: 0 }) }
  return sectionIds.map((section) => ({
    id: sectionElementId(section),
    title: sectionName(t, section, kind),
    Icon: sectionIcons[section],
    badge: counts[section] ? <Text variant="note">{counts[section]}</Text> : undefined,
  }))
}

function Cards({ editor }: { editor: Editor }) {
  const { draft, edit, issues, kind } = editor
  const sectionProps = { raw: draft.raw, onChange: (raw: JsonObject) => edit({ raw }) }
  return (
    <>
      <GeneralCard {...sectionProps} kind={kind} issues={issues} />
      <VariablesCard rows={draft.variables} issues={issues} onChange={(variables) => edit({ variables })} />
      <StepsCard editor={editor} section="install" />
      <RunCard {...sectionProps} issues={issues} />
      <ShutdownCard {...sectionProps} />
      <StepsCard editor={editor} section="pre" />
      <StepsCard editor={editor} section="post" />
      <EnvCard rows={draft.environmentVars} issues={issues} onChange={(environmentVars) => edit({ environmentVars })} />
      {kind === 'template' ? (
        <EnvironmentsCard {...sectionProps} />
      ) : (
        <ServerEnvironmentCard
          {...sectionProps}
          onValidityChange={(isValid) => edit({ isContainerInvalid: !isValid })}
        />
      )}
      <StepsCard editor={editor} section="uninstall" />
      <RequirementsCard {...sectionProps} />
      <GroupsCard {...sectionProps} />
      <PromptsCard {...sectionProps} issues={issues} />
      <QueryCard {...sectionProps} issues={issues} />
      <PlayerActionsCard {...sectionProps} issues={issues} />
      <LivenessCard {...sectionProps} issues={issues} />
    </>
  )
}

function StepsCard({ editor, section }: { editor: Editor; section: keyof typeof stepPaths }) {
  const t = useT()
  const { draft, edit, issues } = editor
  const path = stepPaths[section]
  const prefix = `${section}/`
  const ownIssues = issues.filter((issue) => issue.section === section && issue.path.startsWith(prefix))
  return (
    <SectionCard section={section} note={t(`definition.When_${section}`)} isPadded={false}>
      <StepList
        steps={getSteps(draft.raw, path)}
        onChange={(steps) => edit({ raw: setIn(draft.raw, path, steps) })}
        types={definitionStepTypes}
        label={t(`definition.Section_${section}`)}
        errors={new Map(ownIssues.map((issue) => [issue.path.slice(prefix.length), issueMessage(t, issue)]))}
      />
    </SectionCard>
  )
}

/** Everything that is wrong with the definition. Each entry links to its section. */
function IssueList({ issues, kind }: { issues: readonly ValidationIssue[]; kind: DefinitionKind }) {
  const t = useT()
  if (issues.length === 0) return null
  const isBlocked = issues.some(({ isBlocking }) => isBlocking)
  const showSection = ({ section }: ValidationIssue) => {
    const element = document.getElementById(sectionElementId(section))
    element?.scrollIntoView({ block: 'start' })
    element?.querySelector('h2')?.focus({ preventScroll: true })
  }
  return (
    <Alert type={isBlocked ? 'error' : 'warning'} role="status">
      <Text inherit mb="2xs">
        {t(isBlocked ? 'definition.BlockingIssues' : 'definition.OtherIssues')}
      </Text>
      <List fz="inherit">
        {issues.map((issue) => (
          <List.Item key={`${issue.path} ${issue.type}`}>
            <Anchor
              component="button"
              type="button"
              inherit
              c="inherit"
              ta="start"
              underline="always"
              onClick={() => showSection(issue)}
            >
              {issueSummary(t, issue, kind)}
            </Anchor>
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

const sectionIcons: Readonly<Record<SectionId, TablerIcon>> = {
  general: IconFileInfo,
  variables: IconVariable,
  install: IconCloudDownload,
  run: IconTerminal,
  shutdown: IconPower,
  pre: IconLogin2,
  post: IconLogout2,
  env: IconListNumbers,
  environments: IconBox,
  uninstall: IconTrash,
  requirements: IconServerCog,
  groups: IconListDetails,
  prompts: IconMessageQuestion,
  query: IconUserSearch,
  players: IconDeviceGamepad2,
  liveness: IconHeartbeat,
}

/** How many items each section lists. */
function countItems(raw: JsonObject): Readonly<Partial<Record<SectionId, number>>> {
  const countKeys = (value: unknown) => (isObject(value) ? Object.keys(value).length : 0)
  const steps = Object.entries(stepPaths).map(([section, path]) => [section, getSteps(raw, path).length])
  return {
    ...Object.fromEntries(steps),
    variables: countKeys(raw.data),
    env: countKeys(getIn(raw, ['run', 'environmentVars'])),
    environments: getEnvironments(raw).length,
    groups: Array.isArray(raw.groups) ? raw.groups.length : 0,
    prompts: getPrompts(raw).length,
    players: getPlayerActions(raw).length,
    liveness: getLivenessChecks(raw).length,
  }
}

/** What a node needs to run the server. */
function RequirementsCard({ raw, onChange }: SectionProps) {
  const t = useT()
  return (
    <SectionCard section="requirements">
      <FieldRow>
        {(['os', 'arch'] as const).map((name) => (
          <PathInput
            raw={raw}
            onChange={onChange}
            path={['requirements', name]}
            key={name}
            label={t(`definition.Require_${name}`)}
            description={t(`definition.RequireHelp_${name}`)}
          />
        ))}
      </FieldRow>
      <StringListInput
        label={t('definition.Require_binaries')}
        description={t('definition.RequireHelp_binaries')}
        values={getLines(raw, ['requirements', 'binaries'])}
        onChange={(lines) => onChange(setIn(raw, ['requirements', 'binaries'], lines.length === 0 ? undefined : lines))}
      />
    </SectionCard>
  )
}
