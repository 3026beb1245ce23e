// Files that are dropped on the page: text goes into the message, below the file's name; others are refused in words.

const MOST_BYTES = 512 * 1024;

const kibibytes = (bytes) => `${Math.ceil(bytes / 1024).toLocaleString('en')} KiB`;

/// What is wrong with a file of this size; '' where nothing is.
export function tooLarge(name, size) {
  if (size <= MOST_BYTES) return '';
  return `${name} has ${kibibytes(size)}. Text files of up to ${kibibytes(MOST_BYTES)} can be read.`;
}

/// The text of a file's bytes; null where they are no UTF-8, or have a zero as only binary files do.
export function textOf(bytes) {
  try {
    const text = new TextDecoder('utf-8', {fatal: true}).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

/// The file as a part of a message: its name, and its text in a fence that no line of it ends.
export function quoted(name, text) {
  const longest = Math.max(2, ...[...text.matchAll(/^ *(`{3,})/gm)].map((match) => match[1].length));
  const fence = '`'.repeat(longest + 1);
  const type = /\.(\w{1,12})$/.exec(name)?.[1] ?? '';
  return `${name}:\n${fence}${type}\n${text.replace(/\n$/, '')}\n${fence}\n`;
}

/// `insert(text)` gets what is read; `refuse(text)` why a file is not.
export function listenToDrops(host, {insert, refuse}) {
  const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files');
  const mark = (on) => host.classList.toggle('dropping', on);
  addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();  // else the browser leaves the page for the file
    mark(true);
  });
  addEventListener('dragleave', (event) => {
    if (!event.relatedTarget) mark(false);
  });
  addEventListener('drop', async (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    mark(false);
    const files = [...event.dataTransfer.files];  // the list is empty once the event is over
    for (const file of files) await read(file, insert, refuse);
  });
}

async function read(file, insert, refuse) {
  const large = tooLarge(file.name, file.size);
  if (large) return refuse(large);
  let text = null;
  try {
    text = textOf(await file.arrayBuffer());
  } catch {
    return refuse(`${file.name} cannot be read.`);  // a folder, or a file that is gone
  }
  if (text === null) return refuse(`${file.name} is no text. Pictures, sounds and documents cannot be read here.`);
  insert(quoted(file.name, text));
}
