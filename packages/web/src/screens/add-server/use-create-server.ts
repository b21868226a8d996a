import type { Template } from '@innkeeper/contract/definitions/definition'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import { getDefinition } from '@innkeeper/contract/servers/existing-server'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { listServers } from '@innkeeper/contract/servers/servers'
import { useNavigate } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-action.ts'
import { type ExistingServer, withJarOfTemplate } from '../../features/uploads/existing-server.ts'
import { useUploads } from '../../features/uploads/use-uploads.tsx'
import { useSave } from '../../forms/use-save.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan, useSession } from '../../session/session.tsx'
import { errorMessage } from '../../ui/text/error-message.ts'
import { toast } from '../../ui/toasts/toast.tsx'
import { emptyDraft, getErrorLocation, type ServerDraft, type Step, toCreateServerInput } from './draft.ts'
import { addRecentTemplate } from './recent-templates.ts'

interface CreateServerOptions {
  readonly draft: ServerDraft
  /** Forgets the draft. */
  readonly clear: () => void
  readonly step: Step
  readonly template: Template | undefined
  /** The files of an existing server. */
  readonly files: ExistingServer | undefined
  readonly onError: (error: CreateError) => void
}

/** An error of the API, with the step and field where it is shown. */
export interface CreateError {
  readonly error: Refusal
  readonly step: Step
  readonly field?: string
}

/** Creates the server of the draft, in the last step of the wizard. */
export function useCreateServer({ draft, clear, step, template, files, onError }: CreateServerOptions) {
  const t = useT()
  const navigate = useNavigate()
  const { self } = useSession()
  const isAdmin = useCan('servers.admin')
  const uploads = useUploads()
  const { mutateAsync } = useApiMutation(createServer, { invalidates: [listServers] })

  return useSave({
    isDirty: () => draft !== emptyDraft,
    reset: clear,
    // The draft stays in this tab, so that only closing the window loses it.
    guard: { lostOn: 'window' },
    getRoot: () => document.querySelector('main'),
    getEdit: () => (step === 'review' && template ? { draft, template } : undefined),
    send: async ({ draft: sent, template: from }) => {
      const { recognized } = (files && sent.existing) ?? {}
      // The command is that of the template, unless an administrator adds the server.
      const definition = files && recognized && isAdmin ? getDefinition(from, recognized, files.settings) : from
      const { id } = await mutateAsync(toCreateServerInput(sent, definition, self?.username))
      const starts = !sent.staysOffline && !sent.existing
      return { id, starts, hasInstall: (definition.install ?? []).length > 0, files: recognized && files }
    },
    showError: (error) => {
      if (!isRefusal(error) || !template) return errorMessage(t, error)
      const location = getErrorLocation(error, template)
      onError({ error, ...location })
      if (location.step !== step) void navigate(`/addserver?step=${location.step}`)
      return undefined
    },
    onSaved: ({ id, starts, hasInstall, files: uploaded }, _, { draft: sent }) => {
      clear()
      if (uploaded) uploads.add(id, '', isAdmin ? uploaded.items : withJarOfTemplate(uploaded))
      if (sent.template !== undefined) addRecentTemplate(self?.id, sent.template)
      const needsInstall = hasInstall && !starts
      if (!needsInstall) toast.success(t('common.Created', { name: sent.name.trim() }))
      return navigate(needsInstall ? `/server/${id}?created=1` : `/server/${id}`, { replace: true })
    },
  })
}
