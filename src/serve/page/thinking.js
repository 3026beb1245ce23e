// What a model thinks before it answers, folded.
import {element, icon} from './elements.js';
import {MarkdownView} from './markdown_view.js';

export class ThinkingView {
  constructor() {
    this.label = element('span');
    this.text = element('div', {class: 'thinking-text', dir: 'auto'});
    this.markdown = new MarkdownView(this.text);
    this.root = element(
        'details', {class: 'thinking', 'data-testid': 'thinking', hidden: true},
        element('summary', {}, icon('fold', 'fold'), this.label), this.text);
  }

  show(message, streaming) {
    const live = streaming && message.seconds === undefined;
    this.root.hidden = !message.reasoning;
    this.root.classList.toggle('live', live);
    this.label.textContent = live ? 'Thinking…' : message.seconds ? `Thought for ${message.seconds} s` : 'Thinking';
    this.markdown.show(message.reasoning ?? '');
  }
}
