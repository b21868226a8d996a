import type { PromptType } from '@innkeeper/contract/definitions/prompts'
import { getData, putData } from '@innkeeper/contract/definitions/server-definition'
import { getText, isUserEditable, type Variable } from '@innkeeper/contract/definitions/variables'
import { putFile } from '@innkeeper/contract/servers/files'
import type { ServerPrompt } from '@innkeeper/contract/servers/status'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { uploadBytes } from '../../api/upload-download.ts'
import { useAction, useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import type { Power } from '../../features/power/use-power.ts'
import { parseValue } from '../../features/variables/parse-value.ts'
import { VariableField } from '../../features/variables/variable-field.tsx'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import type { Can } from './permissions.ts'

export interface PromptAlertProps {
  readonly server: string
  readonly prompt: ServerPrompt
  readonly power: Power
  readonly can: Can
}

const messages: Readonly<Record<PromptType, TranslationKey>> = {
  eula: 'server.Prompt_eula',
  javaVersion: 'server.Prompt_javaVersion',
  gameServerToken: 'server.Prompt_gameServerToken',
  processLimit: 'server.Prompt_processLimit',
  diskSpace: 'server.Prompt_diskSpace',
}

const eulaUrl = 'https://aka.ms/MinecraftEULA'

/** What the server asks after a line of its output, with the answers that the user may give. */
export function PromptAlert(props: PromptAlertProps) {
  const t = useT()
  const [isClosed, setIsClosed] = useState(false)
  const { prompt, can } = props
  // A newer node may ask something else.
  if (isClosed || !isKnown(prompt.type)) return null
  return (
    <Alert
      type="warning"
      role="alert"
      action={
        <Button size="xs" variant="subtle" onClick={() => setIsClosed(true)}>
          {t('common.Close')}
        </Button>
      }
    >
      <Stack gap="xs" align="flex-start">
        <p>{t(messages[prompt.type])}</p>
        {prompt.type === 'eula' && (
          <Text component="a" href={eulaUrl} target="_blank" rel="noreferrer noopener" dir="ltr">
            {eulaUrl}
          </Text>
        )}
        {prompt.type === 'eula' && can('putServerFiles') && can('startServer') && <AcceptEula {...props} />}
        {prompt.variable !== undefined && can('editServerData') && can('startServer') && (
          <VariableAnswer {...props} name={prompt.variable} />
        )}
      </Stack>
    </Alert>
  )
}

const isKnown = (type: string): type is PromptType => Object.hasOwn(messages, type)

function AcceptEula({ server, power }: PromptAlertProps) {
  const t = useT()
  const { mutate, isPending } = useAction(
    () =>
      uploadBytes(putFile, { params: { id: server, path: 'eula.txt' }, query: {} }, new Blob(['eula=true\n']), {
        headers: { 'content-type': 'application/octet-stream' },
      }),
    { onSuccess: () => startAgain(power) },
  )
  return (
    <Button size="xs" loading={isPending} onClick={() => void mutate()}>
      {t('server.PromptAccept')}
    </Button>
  )
}

/** Nothing when the user must not change the variable. */
function VariableAnswer({ server, power, can, name }: PromptAlertProps & { readonly name: string }) {
  const { data } = useApiQuery(getData, { params: { id: server } })
  const variable = data && Object.hasOwn(data.data, name) ? data.data[name] : undefined
  if (!variable || !(can('admin') || isUserEditable(variable))) return null
  return <VariableForm server={server} power={power} name={name} variable={variable} />
}

interface VariableFormProps extends Pick<PromptAlertProps, 'server' | 'power'> {
  readonly name: string
  readonly variable: Variable
}

function VariableForm({ server, power, name, variable }: VariableFormProps) {
  const t = useT()
  const [text, setText] = useState(() => getText(variable.value))
  const { mutate, isPending } = useApiMutation(putData, {
    invalidates: [getData],
    onSuccess: () => startAgain(power),
  })
  const save = () =>
    void mutate({ params: { id: server }, body: { data: { [name]: { value: parseValue(variable, text) } } } })
  return (
    <Group gap="sm" align="flex-end">
      <VariableField name={name} variable={variable} value={text} error={undefined} onChange={setText} />
      <Button loading={isPending} onClick={save}>
        {t('server.PromptSave')}
      </Button>
    </Group>
  )
}

/** Starts the server, or restarts it when it runs. */
function startAgain({ controls }: Power): void {
  controls.find(({ action }) => action === 'start' || action === 'restart')?.run()
}
