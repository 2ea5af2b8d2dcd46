// For `kubeless function deploy`: no package is needed.
module.exports = {
  greet: (event, context) => `Hello ${event.data.name ?? 'World'} from ${context['function-name']}`,
};
