// `crash.mjs <code> [after ms]`: complains on stderr and exits with the code; a name like SIGSEGV ends it by that signal.
const [how, afterMs = '0'] = process.argv.slice(2)
setTimeout(() => {
  console.error(`crashing: ${how}`)
  if (how.startsWith('SIG')) process.kill(process.pid, how)
  else process.exitCode = Number(how)
}, Number(afterMs))
