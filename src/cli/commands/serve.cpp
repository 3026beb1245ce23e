// skald serve: answers over HTTP, for many clients at once.
#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "cli/flags/serve.h"
#include "cli/terminal/interrupt.h"
#include "comm/group.h"
#include "serve/address_file.h"
#include "serve/http/systemd.h"
#include "serve/server.h"

namespace skald {
namespace {

void run(const ServeFlags& o, const Flags& flags) {
  serve::ServeOptions options = o.checked(flags);
  if (const std::shared_ptr<Group> group = options.engine.device.group) options.on_stop = [group] { group->hurry(); };
  if (const std::optional<int> socket = serve::systemd_socket()) options.http.listening = *socket;
  serve::AddressFile file(o.address_file());
  const auto tell = [&](const std::string& address) {
    file.write(address);
    std::fputs(("listening on " + address + "\n").c_str(), stdout);
    std::fflush(stdout);
  };
  if (serve::run_server(std::move(options), tell) == serve::Ended::kInterrupted) throw Interrupted{};
}

Action declare_serve(Flags& flags) {
  auto o = std::make_shared<ServeFlags>("serve");
  o->declare(flags);
  return o->on_ranks([o, flags] { run(*o, flags); });
}

}  // namespace

extern const Command command_serve;
const Command command_serve{.name = "serve",
                            .summary = "Answer over HTTP: the APIs of OpenAI, Anthropic, ollama and llama-server",
                            .examples =
                                "  skald serve -m model.gguf\n"
                                "  skald serve -m model.gguf -np 8 -c 65536 --api-key-file keys.txt --metrics\n"
                                "  skald serve --models-dir models --host 0.0.0.0 --port 8000 --api-key secret\n"
                                "  skald serve -m model.gguf --mcp files=http://localhost:8000/mcp\n"
                                "  curl http://127.0.0.1:8080/v1/chat/completions -d '{\"messages\": [{\"role\": \"user\", "
                                "\"content\": \"Hello\"}]}'\n",
                            .declare = declare_serve};

}  // namespace skald
