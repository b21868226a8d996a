import { stepTypes } from '@innkeeper/contract/operations'
import { SegmentedControl } from '@mantine/core'
import { IconAdjustments, IconBraces } from '@tabler/icons-react'
import { Suspense } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { lazyView } from '../../ui/lazy-view.tsx'
import { SectionNav } from '../../ui/section-nav.tsx'
import { StepList } from '../steps/step-list.tsx'
import classes from './definition-editor.module.css'
import { type Draft, sections, stepPaths } from './draft.ts'
import { EnvCard } from './env-card.tsx'
import { EnvironmentsCard, OwnEnvironmentCard } from './environments-card.tsx'
import { GeneralCard } from './general-card.tsx'
import { GroupsCard } from './groups-card.tsx'
import { PartCard, partId } from './part.tsx'
import { ProblemList } from './problem-list.tsx'
import { type Raw, stepsAt, withPart } from './raw.ts'
import { RequirementsCard } from './requirements-card.tsx'
import { RunCard } from './run-card.tsx'
import { countsOf, sectionIcons } from './section-icons.ts'
import { ShutdownCard } from './shutdown-card.tsx'
import type { Editor, Mode } from './use-editor.ts'
import { VariablesCard } from './variables-card.tsx'
import { problemLine, problemText, sectionName } from './words.ts'

const JsonEditor = lazyView(async () => (await import('./json-editor.tsx')).JsonEditor)

/** What a definition may do; what only tasks do is left to them. */
const kinds = stepTypes.filter((type) => type !== 'power' && type !== 'stdin')

/** Chooses between the form and the JSON of a definition. */
export function ModeSwitch({ editor }: { editor: Editor }) {
  const t = useT()
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('definition.Mode')}
      value={editor.mode}
      onChange={(mode) => editor.change(mode as Mode)}
      data={[
        { value: 'editor', label: <ModeLabel Icon={IconAdjustments} label={t('definition.ModeEditor')} /> },
        { value: 'json', label: <ModeLabel Icon={IconBraces} label={t('definition.ModeJson')} /> },
      ]}
    />
  )
}

function ModeLabel({ Icon, label }: { Icon: typeof IconBraces; label: string }) {
  return (
    <span className={classes.mode}>
      <Icon size={15} aria-hidden />
      {label}
    </span>
  )
}

/** A template, or the definition of a server: cards for its parts, or the whole of it as JSON. */
export function DefinitionEditor({ editor }: { editor: Editor }) {
  const t = useT()
  const { mode, json, mistake, problems } = editor
  if (mode === 'json')
    return (
      <div className={classes.json}>
        {mistake && <Alert type="error">{mistakeText(t, mistake, editor.kind)}</Alert>}
        {!mistake && problems.length > 0 && (
          <Alert type="error">{problems.map((one) => problemLine(t, one, editor.kind)).join(' ')}</Alert>
        )}
        <Suspense fallback={<div className={classes.code} aria-busy="true" />}>
          <JsonEditor
            key={editor.generation}
            label={t('definition.ModeJson')}
            value={json}
            onChange={editor.write}
            {...(mistake?.line === undefined ? {} : { line: mistake.line })}
          />
        </Suspense>
      </div>
    )
  return (
    <div className={classes.layout}>
      <SectionNav label={t('definition.Parts')} className={classes.nav ?? ''} sections={sectionsOf(editor, t)} />
      <div className={classes.cards}>
        <ProblemList problems={problems} kind={editor.kind} />
        <Cards key={editor.generation} editor={editor} />
      </div>
    </div>
  )
}

function sectionsOf({ current, kind }: Editor, text: ReturnType<typeof useT>) {
  const counts = { ...countsOf(current ?? {}), ...(kind === 'server' ? { environments: 0 } : {}) }
  return sections.map((section) => ({
    id: partId(section),
    title: sectionName(text, section, kind),
    Icon: sectionIcons[section],
    badge: counts[section] ? <span className={classes.count}>{counts[section]}</span> : undefined,
  }))
}

function Cards({ editor }: { editor: Editor }) {
  const { draft, edit, problems, kind } = editor
  const part = { raw: draft.raw, onChange: (raw: Raw) => edit({ raw }) }
  const steps = (section: keyof typeof stepPaths) => <StepsCard editor={editor} section={section} />
  return (
    <>
      <GeneralCard {...part} kind={kind} problems={problems} />
      <VariablesCard
        rows={draft.variables}
        problems={problems}
        onChange={(variables: Draft['variables']) => edit({ variables })}
      />
      {steps('install')}
      <RunCard {...part} problems={problems} />
      <ShutdownCard {...part} />
      {steps('pre')}
      {steps('post')}
      <EnvCard
        rows={draft.environmentVars}
        problems={problems}
        onChange={(environmentVars: Draft['environmentVars']) => edit({ environmentVars })}
      />
      {kind === 'template' ? (
        <EnvironmentsCard {...part} />
      ) : (
        <OwnEnvironmentCard {...part} onRight={(isRight) => edit({ isContainerWrong: !isRight })} />
      )}
      {steps('uninstall')}
      <RequirementsCard {...part} />
      <GroupsCard {...part} />
    </>
  )
}

function StepsCard({ editor, section }: { editor: Editor; section: keyof typeof stepPaths }) {
  const t = useT()
  const { draft, edit, problems } = editor
  const path = stepPaths[section]
  const own = problems.filter(({ section: of, at }) => of === section && at.startsWith(`${section}/`))
  return (
    <PartCard section={section} note={t(`definition.When_${section}`)} isPadded={false}>
      <StepList
        steps={stepsAt(draft.raw, path)}
        onChange={(steps) => edit({ raw: withPart(draft.raw, path, steps) })}
        kinds={kinds}
        label={t(`definition.Section_${section}`)}
        problems={new Map(own.map((problem) => [problem.at.slice(section.length + 1), problemText(t, problem)]))}
      />
    </PartCard>
  )
}

function mistakeText(
  text: ReturnType<typeof useT>,
  { line, column, problem }: NonNullable<Editor['mistake']>,
  kind: Editor['kind'],
): string {
  if (line === undefined || column === undefined) return text('errors.ErrInvalidJson')
  if (problem) return text('definition.WrongAt', { line, said: problemLine(text, problem, kind) })
  return text('definition.InvalidJsonAt', { line, column })
}
