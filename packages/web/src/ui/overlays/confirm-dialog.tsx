import { Button, Group, Modal, Stack, Switch, Text, TextInput } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../feedback/alert.tsx'
import { TypeToConfirm } from './type-to-confirm.tsx'

export interface ConfirmOptions {
  readonly title: string
  readonly body?: ReactNode
  /** Label of the button, verb and object: "Delete server". Default: "Delete". */
  readonly action?: string
  /** If false, nothing is lost. Default: true. */
  readonly danger?: boolean
  /** A warning with a link to what the user may want to do first. */
  readonly hint?: { readonly text: string; readonly link: string; readonly onOpen: () => void }
  /** The name that the user must type to enable the button. */
  readonly typeToConfirm?: string
  /** Label of a switch that the user must turn on to enable the button. */
  readonly acknowledgement?: string
  readonly onConfirm?: () => unknown
}

interface ConfirmDialogProps {
  readonly options: ConfirmOptions
  readonly opened: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** A question can be asked from another dialog, whose z-index is 200. */
const aboveDialogs = 210

/** The dialog of `useConfirm`. */
export function ConfirmDialog({ options, opened, onConfirm, onClose }: ConfirmDialogProps) {
  const t = useT()
  const [input, setInput] = useState('')
  const [isAcknowledged, setIsAcknowledged] = useState(false)
  const { hint, typeToConfirm, acknowledgement, action = t('common.Delete'), danger = true } = options
  const isTyped = typeToConfirm === undefined || input === typeToConfirm
  const canConfirm = isTyped && (acknowledgement === undefined || isAcknowledged)
  const hasTypo = input !== '' && !isTyped && !typeToConfirm?.startsWith(input)
  const hasInput = typeToConfirm !== undefined || acknowledgement !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: each question starts with empty inputs
  useEffect(() => {
    setInput('')
    setIsAcknowledged(false)
  }, [options, opened])
  // The first question loads this component. A modal that is mounted open does not know where to return the focus to.
  const [isShown, setIsShown] = useState(false)
  useEffect(() => setIsShown(opened), [opened])

  return (
    <Modal
      opened={isShown}
      onClose={onClose}
      zIndex={aboveDialogs}
      title={typeToConfirm === undefined ? options.title : <DangerTitle title={options.title} />}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (canConfirm) onConfirm()
        }}
      >
        <Stack>
          {options.body && (
            <Text component="div" c="dimmed">
              {options.body}
            </Text>
          )}
          {hint && (
            <Alert
              type="warning"
              action={
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => {
                    onClose()
                    hint.onOpen()
                  }}
                >
                  {hint.link}
                </Button>
              }
            >
              {hint.text}
            </Alert>
          )}
          {typeToConfirm !== undefined && (
            <TextInput
              data-autofocus
              label={<TypeToConfirm text={typeToConfirm} />}
              value={input}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setInput(event.currentTarget.value)}
              error={hasTypo && t('common.TypedDiffers', { name: typeToConfirm })}
            />
          )}
          {acknowledgement !== undefined && (
            <Switch
              label={acknowledgement}
              checked={isAcknowledged}
              onChange={(event) => setIsAcknowledged(event.currentTarget.checked)}
            />
          )}
          <Group justify="flex-end" gap="xs" mt="sm">
            <Button
              variant="subtle"
              onClick={onClose}
              data-autofocus={(danger && typeToConfirm === undefined) || undefined}
            >
              {t('common.Cancel')}
            </Button>
            {/* Without autofocus the focus would be on the close button of the dialog. */}
            <Button
              type="submit"
              disabled={!canConfirm}
              color={danger ? 'red' : undefined}
              data-autofocus={(!danger && !hasInput) || undefined}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

function DangerTitle({ title }: { title: string }) {
  return (
    <Group component="span" gap="sm" wrap="nowrap" align="flex-start">
      <IconAlertTriangle
        size={20}
        color="var(--ik-offline)"
        style={{ flex: 'none', marginBlockStart: 'var(--mantine-spacing-3xs)' }}
        aria-hidden
      />
      <span>{title}</span>
    </Group>
  )
}
