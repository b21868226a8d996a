import type { FileWork } from '@innkeeper/contract/files'
import { Button, Checkbox, Modal } from '@mantine/core'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import classes from './dialogs.module.css'
import type { Item } from './entries.ts'
import { FolderPicker } from './folder-picker.tsx'
import { type Answer, objectionToFolder, type TransferKind, takenOf, workOf } from './transfer.ts'
import { useListing } from './use-listing.ts'

interface TransferDialogProps {
  readonly server: string
  readonly kind: TransferKind
  readonly items: readonly Item[]
  readonly folder: string
  readonly onWork: (work: readonly FileWork[]) => void
  readonly onClose: () => void
}

/** Moves or copies: where to, and what becomes of those whose names are taken there. */
export function TransferDialog({ server, kind, items, folder: from, onWork, onClose }: TransferDialogProps) {
  const t = useT()
  const [folder, setFolder] = useState(from)
  const [answers, setAnswers] = useState<ReadonlyMap<string, Answer>>()
  const there = useListing(server, folder)
  const objection = objectionToFolder(kind, items, folder)
  const names = new Set(there.items?.map(({ name }) => name))
  const taken = takenOf(items, folder, names)
  const asked = answers && taken.find(({ path }) => !answers.has(path))
  const left = taken.filter(({ path }) => !answers?.has(path)).length
  const count = items.length
  const name = items[0]?.name ?? ''
  const title =
    count === 1
      ? t(kind === 'move' ? 'files.MoveNamed' : 'files.CopyNamed', { name })
      : t(kind === 'move' ? 'files.MoveCount' : 'files.CopyCount', { count })

  const settle = (known: ReadonlyMap<string, Answer>) => {
    if (taken.some(({ path }) => !known.has(path))) return setAnswers(known)
    const work = workOf(kind, items, folder, known)
    onClose()
    if (work.length > 0) onWork(work)
  }
  const answer = (said: Answer, isForAll: boolean) => {
    const now = isForAll ? taken.filter(({ path }) => !answers?.has(path)) : asked ? [asked] : []
    settle(new Map([...(answers ?? []), ...now.map(({ path }) => [path, said] as const)]))
  }

  return (
    <Modal opened onClose={onClose} title={title}>
      {asked ? (
        <TakenQuestion key={asked.path} item={asked} others={left - 1} onAnswer={answer} onClose={onClose} />
      ) : (
        <div className={classes.form}>
          <FolderPicker server={server} folder={folder} onFolder={setFolder} objection={objection} />
          <div className={classes.dialogButtons}>
            <Button variant="subtle" color="gray" onClick={onClose}>
              {t('common.Cancel')}
            </Button>
            <Button disabled={objection !== undefined || !there.items} onClick={() => settle(new Map())}>
              {t(kind === 'move' ? 'files.MoveHere' : 'files.CopyHere')}
            </Button>
          </div>
        </div>
      )}
    </Modal>
  )
}

interface TakenQuestionProps {
  readonly item: Item
  /** How many more names are taken. */
  readonly others: number
  readonly onAnswer: (answer: Answer, isForAll: boolean) => void
  readonly onClose: () => void
}

function TakenQuestion({ item, others, onAnswer, onClose }: TakenQuestionProps) {
  const t = useT()
  const [isForAll, setIsForAll] = useState(false)
  const { name, isFolder } = item
  return (
    <div className={classes.form}>
      <p role="status">{t(isFolder ? 'files.FolderTaken' : 'files.FileTaken', { name })}</p>
      {others > 0 && (
        <Checkbox
          label={t('files.ApplyToAll', { count: others })}
          checked={isForAll}
          onChange={(event) => setIsForAll(event.currentTarget.checked)}
        />
      )}
      <div className={classes.dialogButtons}>
        <Button variant="subtle" color="gray" onClick={onClose}>
          {t('common.Cancel')}
        </Button>
        <Button variant="default" onClick={() => onAnswer('skip', isForAll)}>
          {t('files.Skip')}
        </Button>
        <Button variant="default" data-autofocus onClick={() => onAnswer('keepBoth', isForAll)}>
          {t('files.KeepBoth')}
        </Button>
        <Button onClick={() => onAnswer('replace', isForAll)}>{t(isFolder ? 'files.Merge' : 'files.Replace')}</Button>
      </div>
    </div>
  )
}
