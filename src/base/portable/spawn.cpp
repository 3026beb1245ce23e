// The shell limits itself and becomes the program. The program inherits files that were not opened to be closed then.
#include "base/spawn.h"

#include <unistd.h>

#include "base/error.h"
#include "base/surroundings.h"

namespace skald {

// A limit that a shell does not know is left out.
pid_t spawn(const std::vector<std::string>& arguments, int socket, const SpawnLimits& limits) {
  if (::access(arguments[0].c_str(), X_OK) != 0) fail(Errc::kDevice, "{} cannot be started: it is no program", arguments[0]);
  const std::string script = "ulimit -v " + std::to_string(limits.memory / 1024) + "; ulimit -t " +
                             std::to_string(limits.seconds) + "; ulimit -f 0; ulimit -c 0; exec \"$0\" \"$@\"";
  std::vector<std::string> shell = {"/bin/sh", "-c", script};
  shell.insert(shell.end(), arguments.begin(), arguments.end());
  return Surroundings(socket).start(shell);
}

}  // namespace skald
