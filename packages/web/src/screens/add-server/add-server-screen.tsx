import type { Refusal } from '@innkeeper/contract/refusals'
import { createServer, listServers } from '@innkeeper/contract/servers'
import { getTemplate } from '@innkeeper/contract/templates'
import { Button } from '@mantine/core'
import { IconArrowLeft, IconArrowRight } from '@tabler/icons-react'
import { use, useEffect, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { ShowErrorContext, useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useShortcut } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { useCan, useSession } from '../../session/session.tsx'
import { Alert } from '../../ui/alert.tsx'
import { errorMessage, isUnknownError } from '../../ui/error-message.ts'
import { NoPermission } from '../../ui/no-permission.tsx'
import { Page, PageHeader } from '../../ui/page.tsx'
import { serverNameError } from '../../ui/server-name.ts'
import { Shortcut } from '../../ui/shortcut.tsx'
import { toast } from '../../ui/toast.tsx'
import classes from './add-server-screen.module.css'
import { type Draft, firstOpen, objectionsTo, placeOf, type Step, serverFrom, steps } from './draft.ts'
import { PlaceStep } from './place-step.tsx'
import { ReviewStep } from './review-step.tsx'
import { SettingsStep } from './settings-step.tsx'
import { Steps } from './steps.tsx'
import { Summary } from './summary.tsx'
import { TemplateStep } from './template-step.tsx'
import { useDraft } from './use-draft.ts'
import { useSections } from './use-sections.ts'

/** A new server in four steps; nothing is created before the last. */
export function AddServerScreen() {
  const mayCreate = useCan('servers.create')
  return mayCreate ? <AddServer /> : <NoPermission />
}

function AddServer() {
  const t = useT()
  const goTo = useNavigate()
  const tell = use(ShowErrorContext)
  const { self } = useSession()
  const [params] = useSearchParams()
  const { draft, change, forget } = useDraft()
  const { mutateAsync, isPending } = useApiMutation(createServer, { silent: true, invalidates: [listServers] })
  const [isChecked, setIsChecked] = useState(false)
  const [refused, setRefused] = useState<{ readonly refusal: Refusal; readonly field?: string; readonly step: Step }>()

  const chosen = useApiQuery(
    getTemplate,
    { params: { name: draft.template ?? '' } },
    { enabled: draft.template !== undefined, staleTime: 60_000 },
  )
  const template = draft.template === undefined ? undefined : chosen.data
  const asked = steps.find((step) => step === params.get('step')) ?? 'template'
  const sections = useSections(draft, template, refused?.field)
  const fields = sections.flatMap((section) => section.fields)
  const open = firstOpen(draft, template, fields)
  // Nobody stands on a step whose ground is missing: a link to the third step begins with the first open one.
  const step = steps.indexOf(asked) > steps.indexOf(open) ? open : asked
  const at = steps.indexOf(step)

  const goToStep = (next: Step) => {
    setIsChecked(false)
    void goTo(`/addserver?step=${next}`)
  }
  const edit = (changed: (before: Draft) => Draft) => {
    setRefused(undefined)
    change(changed)
  }
  const objections = template ? objectionsTo(draft, template, fields) : new Map<string, Refusal>()
  const problemAt = (field: string): string | undefined => {
    if (refused?.field === field) return errorMessage(t, refused.refusal)
    if (field === 'name') return serverNameError(t, draft.name, { isFinished: isChecked })
    const objection = isChecked ? objections.get(field) : undefined
    return objection && errorMessage(t, objection)
  }
  const missing = missingFor(step, draft)

  const create = async () => {
    if (!template) return
    setRefused(undefined)
    try {
      const { id } = await mutateAsync(serverFrom(draft, template, self?.username))
      forget()
      if ((template.install ?? []).length > 0) return void goTo(`/server/${id}?created=1`, { replace: true })
      toast.success(t('add-server.Created', { name: draft.name.trim() }))
      void goTo(`/server/${id}`, { replace: true })
    } catch (error) {
      if (!isRefusal(error)) return tell(error)
      const place = placeOf(error, template)
      setRefused({ refusal: error, ...place })
      if (isUnknownError(error)) tell(error)
      if (place.step !== step) void goTo(`/addserver?step=${place.step}`)
    }
  }
  const goOn = () => {
    if (step === 'review') return isPending ? undefined : void create()
    if (step === 'settings' && objections.size > 0) return setIsChecked(true)
    if (missing) return focusChoice()
    const next = steps[at + 1]
    if (next && steps.indexOf(open) > at) goToStep(next)
  }
  useShortcut('$mod+Enter', goOn)
  useFocusOnProblem(isChecked || refused !== undefined)

  const canGoOn = step === 'review' || step === 'settings' ? template !== undefined : steps.indexOf(open) > at
  const notice = refused && refused.step === step && refused.field === undefined && (
    <Alert type="error">{errorMessage(t, refused.refusal)}</Alert>
  )
  const goOnButton = (
    <>
      <span role="status" className={classes.missing}>
        {step === 'place' && missing && t(missing)}
      </span>
      <span className={classes.keys} aria-hidden>
        <Shortcut keys="Mod Enter" />
      </span>
      <Button
        disabled={!canGoOn}
        loading={isPending}
        onClick={goOn}
        rightSection={step === 'review' ? undefined : <IconArrowRight size={17} aria-hidden data-flip />}
      >
        {t(step === 'review' ? 'add-server.Create' : 'common.Continue')}
      </Button>
    </>
  )

  const cancel = (
    <Button variant="subtle" color="gray" component={Link} to="/server" onClick={forget}>
      {t('common.Cancel')}
    </Button>
  )

  return (
    <Page type="wizard">
      <PageHeader title={t('add-server.Title')} actions={cancel} phoneActions={cancel} />
      <Steps current={step} open={open} onGo={goToStep} />
      {step === 'template' ? (
        <TemplateStep draft={draft} template={template} error={chosen.error} edit={edit} action={goOnButton}>
          {notice}
        </TemplateStep>
      ) : (
        <div className={classes.columns}>
          <div className={classes.step}>
            {notice}
            {step === 'place' && <PlaceStep draft={draft} template={template} edit={edit} />}
            {step === 'settings' && template && (
              <SettingsStep draft={draft} template={template} sections={sections} edit={edit} problemAt={problemAt} />
            )}
            {step === 'review' && template && (
              <ReviewStep
                draft={draft}
                template={template}
                fields={fields}
                edit={edit}
                problemAt={problemAt}
                onGo={goToStep}
              />
            )}
            <div className={classes.buttons}>
              <Button
                variant="default"
                leftSection={<IconArrowLeft size={17} aria-hidden data-flip />}
                onClick={() => goToStep(steps[at - 1] ?? 'template')}
              >
                {t('common.Back')}
              </Button>
              <span className={classes.space} />
              {goOnButton}
            </div>
          </div>
          <Summary draft={draft} template={template} />
        </div>
      )}
    </Page>
  )
}

/** What has to be chosen on a step before it can be left, as a key of the catalogue. */
function missingFor(step: Step, { template, node, environment }: Draft): string | undefined {
  if (step === 'template') return template === undefined ? 'add-server.ChooseTemplate' : undefined
  if (step !== 'place') return undefined
  if (node === undefined) return 'add-server.ChooseNode'
  return environment === undefined ? 'add-server.ChooseEnvironment' : undefined
}

/** Leads to the first choice of the page that is still open. */
function focusChoice(): void {
  const groups = document.querySelectorAll('main [role="radiogroup"]')
  const open = [...groups].find((group) => !group.querySelector('input:checked'))
  open?.querySelector<HTMLInputElement>('input:not(:disabled)')?.focus()
}

/** Leads to the first field with a problem as soon as there is one. */
function useFocusOnProblem(hasProblem: boolean): void {
  useEffect(() => {
    if (hasProblem) document.querySelector<HTMLElement>('main [aria-invalid="true"]')?.focus()
  }, [hasProblem])
}
