import { type ConsoleEncoding, consoleEncodings } from '@innkeeper/contract/definitions/console-encodings'
import iconv from 'iconv-lite'
import { expect, test } from 'vitest'
import { encodeInput, outputDecoder } from './encodings.ts'

const texts: Partial<Record<ConsoleEncoding, string>> = {
  gbk: '测试 gbk\n中文字符0123没有空格\r\n',
  gb18030: '测试𠀀𠀁0㐀\n😀',
  big5: '測試 許功蓋\n',
  'big5-hkscs': '測試 功\n',
  shift_jis: 'ソース表示 ｱｲｳ 能\n',
  'euc-jp': 'サーバー 起動\n',
  'euc-kr': '서버 시작 뷁\n',
  'iso-8859-1': 'Größe: señor\n',
  'windows-1251': 'Сервер запущен\n',
  'windows-1252': '“Größe” – 5 €\n',
  'windows-1254': 'İstanbul ğ\n',
  'koi8-r': 'Сервер\n',
  cp437: '╔═╗ é\n',
  cp850: 'Größe ÁÀ\n',
  cp866: 'Сервер ░\n',
}

test.for(Object.entries(texts) as [ConsoleEncoding, string][])(
  '%s is decoded wherever it is split, and encoded',
  ([encoding, text]) => {
    const bytes = Buffer.from(encodeInput(text, encoding))

    for (let at = 0; at <= bytes.length; at++) {
      const decoder = outputDecoder(encoding)
      const parts = [decoder.push(bytes.subarray(0, at)), decoder.push(bytes.subarray(at)), decoder.end()]
      expect(Buffer.concat(parts).toString()).toBe(text)
    }
    const decoder = outputDecoder(encoding)
    const single = [...bytes].map((byte) => decoder.push(Uint8Array.of(byte)))
    expect(Buffer.concat(single).toString()).toBe(text)
    expect(decoder.pending).toBe(0)
  },
)

test('every encoding of the list is known', () => {
  for (const encoding of Object.keys(consoleEncodings)) expect(iconv.encodingExists(encoding)).toBe(true)
})

test('only the bytes of an incomplete character wait', () => {
  const decoder = outputDecoder('gb18030')
  const [first, second, third, fourth] = Buffer.from(encodeInput('😀', 'gb18030'))

  const pending = [0x61, first, second, third, fourth, 0x62].map((byte = 0) => {
    decoder.push(Uint8Array.of(byte))
    return decoder.pending
  })

  expect(pending).toEqual([0, 1, 2, 3, 0, 0])
})

test('bytes that are not of the encoding become replacements, and nothing waits forever', () => {
  const decoder = outputDecoder('gbk')

  const text = decoder.push(Buffer.from([0x61, 0xff, 0xff, 0xff, 0x0a, 0x81])).toString() + decoder.end().toString()

  expect(text).toMatch(/^a\ufffd+\n\ufffd$/)
})

test('characters that the encoding lacks are question marks', () => {
  expect(encodeInput('é測', 'iso-8859-1')).toEqual(Buffer.from([0xe9, 0x3f]))
})
