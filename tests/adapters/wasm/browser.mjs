// Headless Chromium over the DevTools protocol, through its pipe: no other program, no package.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--remote-debugging-pipe'];

/** Opens a page: { run(expression), send(method, params), events, close() }. */
export async function openPage(url) {
  const profile = mkdtempSync(`${tmpdir()}/chromium-`);
  const browser = spawn('chromium', [...flags, `--user-data-dir=${profile}`],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const waiting = new Map(), events = [];
  let left = '', number = 0, session;
  browser.stdio[4].setEncoding('utf8').on('data', (part) => {
    const messages = (left + part).split('\0');
    left = messages.pop();
    for (const message of messages.map((text) => JSON.parse(text))) {
      const answer = waiting.get(message.id);
      if (!answer) events.push(message);
      else if (message.error) answer.reject(new Error(message.error.message));
      else answer.resolve(message.result);
    }
  });
  browser.on('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('Chromium has ended'));
  });
  const send = (method, params = {}) => new Promise((resolve, reject) => {
    waiting.set(++number, { resolve, reject });
    const message = { id: number, sessionId: session, method, params };
    browser.stdio[3].write(`${JSON.stringify(message)}\0`);
  });
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  session = (await send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
  for (const domain of ['Page', 'Runtime', 'Network']) await send(`${domain}.enable`);
  await send('Page.navigate', { url });
  return {
    send,
    events,
    /** The value of an expression in the page, once it is there. */
    async run(expression) {
      const { result, exceptionDetails } = await send('Runtime.evaluate',
        { expression, awaitPromise: true, returnByValue: true });
      if (exceptionDetails)
        throw new Error(`${expression}: ${exceptionDetails.exception?.description}`);
      return result.value;
    },
    async close() {
      const ended = new Promise((done) => { browser.on('exit', done); });
      session = undefined;
      send('Browser.close').catch(() => {});
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
