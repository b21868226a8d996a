import type { Refusal } from '@innkeeper/contract/errors/refusals'
import { getTemplate } from '@innkeeper/contract/templates/templates'
import { Button, Flex, Group, Stack, Text } from '@mantine/core'
import { IconArrowLeft, IconArrowRight } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { RestoredDraft } from '../../forms/save-notices.tsx'
import { Shortcut } from '../../hotkeys/shortcut.tsx'
import { useShortcut } from '../../hotkeys/use-shortcut.ts'
import { type TFunction, type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { NoPermission } from '../../ui/feedback/no-permission.tsx'
import { serverNameError } from '../../ui/fields/server-name.ts'
import { Page, PageHeader } from '../../ui/layout/page.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { errorMessage } from '../../ui/text/error-message.ts'
import classes from './add-server.module.css'
import {
  type EditDraft,
  firstIncompleteStep,
  type ServerDraft,
  type Step,
  selectTemplate,
  steps,
  validateDraft,
} from './draft.ts'
import { ExistingServerCard } from './existing-server-card.tsx'
import { ReviewStep } from './review-step.tsx'
import { SettingsStep } from './settings-step.tsx'
import { Summary } from './summary.tsx'
import { TargetStep } from './target-step.tsx'
import { TemplateStep } from './template-step.tsx'
import { type CreateError, useCreateServer } from './use-create-server.ts'
import { useDraft } from './use-draft.ts'
import { useExistingServer } from './use-existing-server.ts'
import { useSections } from './use-sections.ts'
import { WizardSteps } from './wizard-steps.tsx'

/** A wizard in four steps. The last one creates the server. */
export function AddServerScreen() {
  const t = useT()
  if (useCan('servers.create')) return <AddServer />
  return (
    <Page>
      <PageHeader title={t('servers.Add')} />
      <NoPermission scope="servers.create" />
    </Page>
  )
}

function AddServer() {
  const t = useT()
  const navigate = useNavigate()
  const [params] = useSearchParams()
  const { draft, edit: editDraft, clear, isRestored, closeNotice, discard } = useDraft()
  const [showsErrors, setShowsErrors] = useState(false)
  const [createError, setCreateError] = useState<CreateError>()

  const templateQuery = useApiQuery(
    getTemplate,
    { params: { name: draft.template ?? '' } },
    { enabled: draft.template !== undefined, staleTime: 60_000 },
  )
  const template = draft.template === undefined ? undefined : templateQuery.data
  const sections = useSections(draft, template, createError?.field)
  const fields = sections.flatMap((section) => section.fields)
  const errors = template ? validateDraft(draft, template, fields) : new Map<string, Refusal>()
  const firstIncomplete = firstIncompleteStep(draft, template, fields)
  // The address may name a step that cannot be opened yet.
  const requested = steps.find((name) => name === params.get('step')) ?? 'template'
  const index = Math.min(steps.indexOf(requested), steps.indexOf(firstIncomplete))
  const step = steps[index] ?? 'template'
  const isStepComplete = steps.indexOf(firstIncomplete) > index

  const goToStep = (next: Step) => {
    setShowsErrors(false)
    void navigate(`/addserver?step=${next}`)
  }
  const edit: EditDraft = (update) => {
    setCreateError(undefined)
    editDraft(update)
  }
  const existing = useExistingServer(edit)
  const getError = (field: string): string | undefined => {
    if (createError?.field === field) return createErrorMessage(t, createError.error)
    if (field === 'name') return serverNameError(t, draft.name, { isComplete: showsErrors })
    const error = showsErrors ? errors.get(field) : undefined
    return error && errorMessage(t, error)
  }

  const { save, isSaving, failure } = useCreateServer({
    draft,
    clear,
    step,
    template,
    files: existing.files,
    onError: setCreateError,
  })
  const goOn = () => {
    if (step === 'review') {
      setCreateError(undefined)
      void save()
    } else if (step === 'settings' && errors.size > 0) setShowsErrors(true)
    else if (isStepComplete) goToStep(steps[index + 1] ?? 'review')
    else focusMissingSelection()
  }
  useShortcut('mod+Enter', goOn)
  useFocusFirstError(showsErrors || createError !== undefined)

  const canGoOn = step === 'review' || step === 'settings' ? template !== undefined : isStepComplete
  const goOnButton = (
    <GoOnButton
      step={step}
      missing={step === 'target' ? getMissingSelection(draft) : undefined}
      canGoOn={canGoOn}
      isSaving={isSaving}
      onGoOn={goOn}
    />
  )
  const cancel = <CancelButton onCancel={clear} />
  const stepProps = { draft, edit, getError }

  return (
    <Page type="wideForm">
      <PageHeader title={t('servers.Add')} actions={cancel} phoneActions={cancel} />
      <WizardSteps current={step} firstIncomplete={firstIncomplete} onStep={goToStep} />
      {isRestored && (
        <RestoredDraft
          onDiscard={() => {
            existing.discard()
            discard()
            goToStep('template')
          }}
          onClose={closeNotice}
        />
      )}
      {createError?.step === step && createError.field === undefined && <ErrorAlert error={createError.error} />}
      {failure && <ErrorAlert {...failure} />}
      {step === 'template' ? (
        <>
          <ExistingServerCard
            existing={draft.existing}
            hasFiles={existing.files !== undefined}
            unknown={existing.unknown}
            templateName={template?.display ?? draft.template ?? ''}
            isReading={existing.isReading}
            onPick={(items) => void existing.pick(items)}
            onDiscard={existing.discard}
          />
          <TemplateStep
            draft={draft}
            query={templateQuery}
            edit={edit}
            onChoose={(name) => {
              edit((current) => selectTemplate(current, name))
              goToStep('target')
            }}
            action={goOnButton}
          />
        </>
      ) : (
        <Flex align="flex-start" gap="xl">
          <Stack gap="lg" flex={1} miw={0}>
            <QueryState inCard query={templateQuery} errorTitle={t('templates.OneLoadFailed')} skeletonHeight={280}>
              {(loaded) =>
                step === 'target' ? (
                  <TargetStep draft={draft} template={loaded} edit={edit} />
                ) : step === 'settings' ? (
                  <SettingsStep {...stepProps} template={loaded} sections={sections} />
                ) : (
                  <ReviewStep
                    {...stepProps}
                    hasFiles={existing.files !== undefined}
                    template={loaded}
                    fields={fields}
                    onStep={goToStep}
                  />
                )
              }
            </QueryState>
            <Group gap="xs" className={classes.buttons}>
              <Button
                variant="default"
                leftSection={<IconArrowLeft size={17} aria-hidden data-flip />}
                onClick={() => goToStep(steps[index - 1] ?? 'template')}
                me="auto"
              >
                {t('common.Back')}
              </Button>
              {goOnButton}
            </Group>
          </Stack>
          <Summary draft={draft} template={template} />
        </Flex>
      )}
    </Page>
  )
}

interface GoOnButtonProps {
  readonly step: Step
  /** What has to be selected first. */
  readonly missing: TranslationKey | undefined
  readonly canGoOn: boolean
  readonly isSaving: boolean
  readonly onGoOn: () => void
}

/** Opens the next step, or creates the server in the last one. */
function GoOnButton({ step, missing, canGoOn, isSaving, onGoOn }: GoOnButtonProps) {
  const t = useT()
  return (
    <>
      <Text span role="status" variant="note">
        {missing && t(missing)}
      </Text>
      <Group component="span" visibleFrom="sm" aria-hidden>
        <Shortcut keys="Mod Enter" />
      </Group>
      <Button
        disabled={!canGoOn}
        loading={isSaving}
        onClick={onGoOn}
        rightSection={step === 'review' ? undefined : <IconArrowRight size={17} aria-hidden data-flip />}
      >
        {t(step === 'review' ? 'add-server.Create' : 'common.Continue')}
      </Button>
    </>
  )
}

function CancelButton({ onCancel }: { onCancel: () => void }) {
  const t = useT()
  return (
    // Its text ends where the page does, not its invisible padding. In the top bar of a phone it has its own place.
    <Button
      variant="subtle"
      me={{ base: 0, sm: 'calc(var(--button-padding-x) * -1)' }}
      component={Link}
      to="/server"
      onClick={onCancel}
    >
      {t('common.Cancel')}
    </Button>
  )
}

function createErrorMessage(t: TFunction, error: Refusal): string {
  const { username } = error.metadata
  const isUserMissing = isRefusal(error, 'ErrUserNotFound') && typeof username === 'string'
  return isUserMissing ? t('add-server.UserNotFound', { username }) : errorMessage(t, error)
}

/** The text key that names the selection that the target step still needs. */
function getMissingSelection({ node, environment }: ServerDraft): TranslationKey | undefined {
  if (node === undefined) return 'add-server.ChooseNode'
  return environment === undefined ? 'add-server.ChooseEnvironment' : undefined
}

/** Focuses the first group of cards that has no selection. */
function focusMissingSelection(): void {
  const groups = [...document.querySelectorAll('main [role="radiogroup"]')]
  const group = groups.find((candidate) => !candidate.querySelector(':checked, [aria-checked="true"]'))
  group?.querySelector<HTMLElement>('[role="radio"]:enabled')?.focus()
}

/** Focuses the first invalid field as soon as there are errors. */
function useFocusFirstError(hasErrors: boolean): void {
  useEffect(() => {
    if (hasErrors) document.querySelector<HTMLElement>('main [aria-invalid="true"]')?.focus()
  }, [hasErrors])
}
